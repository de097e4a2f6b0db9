import { UnrecoverableError } from 'bullmq';
import type { OpenWorker } from '../../../processors/queue-worker.ts';
import { CANCELLED_MESSAGE } from '../../../src/core/outcome.ts';
import type { PlanJournal, WishedPlan } from '../../../src/core/ports/index.ts';
import type { SeamContext } from '../seams.ts';
import { PLAN_QUEUE } from '../twins/kernel.ts';
import type { QueueTwin } from '../twins/queue.ts';
import type { World } from '../world.ts';
import type { Mutant } from './mutant.ts';

/** Faults by which a plan is run on though nobody asked, or is not though somebody did. */
export const WISH_MUTANTS: readonly Mutant[] = [
  {
    name: 'the wish of a delivery is not kept',
    seams: { planJournal: (journal, context) => changed(journal, { begin: (plan, now) => journal.begin(unnamed(plan, context), now) }) },
  },
  { name: 'a wish is kept 200 ms after the plan has run on', seams: { planJournal: keptLater } },
  { name: 'a wish is kept before the plan runs on, and not in its transaction', seams: { planJournal: keptBefore } },
  {
    name: 'the wish of a job under another id is not kept',
    seams: {
      planJournal: (journal, context) =>
        changed(journal, { begin: (plan, now) => journal.begin(plan.keepsLease === true ? unnamed(plan, context) : plan, now) }),
    },
  },
  { name: "a retry of a plan's job counts its ends and its failures anew", seams: { planQueue: countedAnew } },
  { name: 'each start of a job is a wish of its own', seams: { openWorker: wishedByStarts } },
  {
    name: 'a task that told its failure is run again when its job comes back',
    seams: { ledger: (ledger) => ({ ...ledger, claim: ({ wish: _wish, ...request }) => ledger.claim(request) }) },
  },
  { name: 'the queue runs a cancelled task again by itself', seams: { openWorker: cancelledAgain } },
  {
    name: 'the failure of an attempt takes away the cancel that was asked meanwhile',
    seams: { ledger: (ledger) => ({ ...ledger, record: ({ goesOn: _goesOn, ...request }) => ledger.record(request) }) },
  },
];

function changed(journal: PlanJournal, change: Partial<PlanJournal>): PlanJournal {
  return new Proxy(journal, {
    get: (target, key, receiver) => Reflect.get(key in change ? change : target, key, key in change ? change : receiver) as unknown,
  });
}

const NAMES = new WeakMap<World, { count: number; readonly kept: Set<string> }>();

function namesOf(world: World): { count: number; readonly kept: Set<string> } {
  const names = NAMES.get(world) ?? { count: 0, kept: new Set<string>() };
  NAMES.set(world, names);
  return names;
}

/** A wish that nobody will ever have again. */
function unnamed(plan: WishedPlan, { world }: SeamContext): WishedPlan {
  const names = namesOf(world);
  names.count += 1;
  return { ...plan, wish: String(names.count).padStart(64, '0') };
}

function keptLater(journal: PlanJournal, context: SeamContext): PlanJournal {
  return changed(journal, {
    async begin(plan, now) {
      if (await journal.served(plan.planSha256, plan.wish)) return journal.begin(plan, now);
      const record = await journal.begin(unnamed(plan, context), now);
      setTimeout(() => void journal.note(plan.planSha256, plan.wish).catch(() => undefined), 200);
      return record;
    },
  });
}

function keptBefore(journal: PlanJournal, context: SeamContext): PlanJournal {
  const { kept } = namesOf(context.world);
  return changed(journal, {
    async begin(plan, now) {
      const record = kept.has(plan.wish) ? await journal.record(plan.planSha256) : undefined;
      if (record?.end) return record;
      kept.add(plan.wish);
      await journal.served(plan.planSha256, plan.wish);
      return journal.begin(unnamed(plan, context), now);
    },
  });
}

/** Either of both figures tells the asks apart, so that a retry which sets back one of them is still an ask. */
function countedAnew(queue: QueueTwin): void {
  const retry = queue.retry.bind(queue);
  Object.assign(queue, {
    retry(id: string, from: 'completed' | 'failed') {
      retry(id, from, { resetAttemptsMade: true, resetAttemptsStarted: true });
      const job = queue.jobs.get(id);
      if (job !== undefined) job.stacktrace = [];
    },
  });
}

function wishedByStarts(open: OpenWorker): OpenWorker {
  return (queue, handle, options) =>
    open(queue, (job, token) => handle(queue === PLAN_QUEUE ? Object.assign(job, { attemptsMade: job.attemptsStarted }) : job, token), options);
}

function cancelledAgain(open: OpenWorker): OpenWorker {
  const again = (error: unknown): never => {
    throw error instanceof UnrecoverableError && error.message.endsWith(`: ${CANCELLED_MESSAGE}`) ? new Error(error.message) : error;
  };
  return (queue, handle, options) => open(queue, (job, token) => handle(job, token).catch(again), options);
}
