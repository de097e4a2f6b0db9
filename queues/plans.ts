import { canonicalJson } from '../src/core/canonical-json.ts';
import type { Clock } from '../src/core/clock.ts';
import { isWritError, WritError } from '../src/core/errors.ts';
import { sha256Hex } from '../src/core/hash.ts';
import type { KnownPlan, MemoryGuard, PlanEndReader, PlanHistories, PlanReceipt, Plans, PlanView, PlanViews } from '../src/core/ports/index.ts';
import { MAX_PLAN_BYTES } from './catalog.ts';
import type { FoundJob } from './job-lookup.ts';
import { keptInJob } from './kept-plan.ts';
import { type PlanJobData, type PlanJobs, type PlanJobWhen, planJobId } from './plan-jobs.ts';
import { listPlans } from './plan-list.ts';
import { provenView, signedEnd } from './proven-plan.ts';
import { isTimed, whenOf } from './push.ts';
import { rerunJob } from './push-table.ts';

export interface PlansDeps {
  readonly jobs: PlanJobs;
  readonly views: PlanViews;
  /** A view's end counts only when this verifies it: everybody who may write to Redis may write there. */
  readonly ends: PlanEndReader;
  /** The end that this host's plan journal has, if one lies here. */
  readonly remembered?: (id: string) => string | undefined;
  /** The plan journal of this host, for lists and for plans that Redis has forgotten; without it only plans that wait are listed. */
  readonly histories?: PlanHistories;
  readonly clock: Clock;
  /** Refuses new work when Redis is nearly full. */
  readonly guard?: MemoryGuard;
}

/** Each round needs another writer to change the same job in between. */
const MAX_ROUNDS = 8;

/** The Plans port on BullMQ. Nothing is decided here: a plan that runs twice runs once, by its journal. */
export function createPlans({ jobs, views, ends, remembered = () => undefined, histories, clock, guard }: PlansDeps): Plans {
  const proven = (view: PlanView): Promise<PlanView> => provenView(view, { ends, remembered, stillRuns: async () => isOnItsWay(await jobs.find(view.id)) });
  const read = async (id: string): Promise<PlanView | undefined> => (await views.read(id)) ?? forgottenView(histories?.known(id), remembered);
  return {
    async push({ envelope, lease, traceparent }, { notBefore = 0, priority, askedAt } = {}) {
      const when: PlanJobWhen = { ...whenOf(notBefore, priority, clock.now()), ...(askedAt === undefined ? {} : { askedAt }) };
      const id = sha256Hex(canonicalJson(envelope));
      const data: PlanJobData = { v: 1, envelope, lease, ...(traceparent === undefined ? {} : { traceparent }) };
      const bytes = Buffer.byteLength(JSON.stringify(data));
      if (bytes > MAX_PLAN_BYTES) throw new WritError('INVALID_MANIFEST', `the plan has ${bytes} bytes, at most ${MAX_PLAN_BYTES} are allowed`);
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const [view, found] = await Promise.all([views.read(id), jobs.find(id)]);
        const receipt = await pushOnce(id, { data, when, notBefore }, view, found);
        if (receipt) return receipt;
      }
      throw new WritError('WRONG_STATE', `the job of plan ${id} keeps changing; push again`);
    },
    async view(id) {
      const stored = await read(id);
      const view = stored && (await proven(stored));
      // Somebody has it run on, and no delivery has shown that yet.
      return view?.state === 'failure' && isQueued(await jobs.find(id)) ? { ...view, ...WAITS } : view;
    },
    async end(id) {
      const view = await views.read(id);
      if (view !== undefined) return provenEnd(view);
      const word = remembered(id);
      return (await signedEnd(id, word, ends)) === undefined ? undefined : word;
    },
    list: (filter, page) => listPlans(filter, page, { jobs, views, histories }),
    history: async (id, page) => histories?.history(id, page),
    async cancel(id) {
      const stored = await read(id);
      if (stored === undefined) return 'not-found';
      const view = await proven(stored);
      if (view.state === 'success' || (view.state === 'failure' && !isOnItsWay(await jobs.find(id)))) return 'ended';
      if (!(await views.requestCancel(id, clock.now()))) return 'not-found';
      await jobs.promote(id);
      return 'requested';
    },
    wake: jobs.promote,
    kept: async (id) => histories?.kept(id) ?? keptInJob(id, await jobs.find(id)),
    async retry(id, { lease } = {}) {
      const found = await jobs.find(id);
      if (found === undefined) return 'not-found';
      if (found.state !== 'failed') return 'wrong-state';
      await views.clearCancel(id);
      const { data } = found.job;
      const renewed = lease !== undefined && typeof data === 'object' && data !== null ? { ...data, lease } : data;
      return (await rerunJob(found, renewed, 'kept')) ? 'retried' : 'wrong-state';
    },
    onChange: views.onChange,
  };

  async function provenEnd(view: PlanView): Promise<string | undefined> {
    try {
      const { state, result } = await proven(view);
      return state === 'success' || state === 'failure' ? result : undefined;
    } catch (error) {
      if (isWritError(error) && error.code === 'INVALID_RESULT') return undefined;
      throw error;
    }
  }

  async function pushOnce(id: string, push: PlanPush, view: PlanView | undefined, found: FoundJob | undefined): Promise<PlanReceipt | undefined> {
    const { data, when, notBefore } = push;
    if (view?.result !== undefined && (await signedEnd(id, view.result, ends))?.error === null) return { kind: 'finished', id, result: view.result };
    const receipt = (kind: 'accepted' | 'in-flight' | 'retried'): PlanReceipt => ({ kind, id, queue: jobs.queue, jobId: planJobId(id) });
    if (found === undefined) {
      await guard?.check();
      // What is shown of a plan that begins later is kept until then. One that has ended since is looked at again.
      if (!(await views.open(id, view, Math.ceil(notBefore / 1000), clock.now()))) return undefined;
      await jobs.add(id, data, when);
      guard?.added(1, JSON.stringify(data.envelope).length);
      return receipt('accepted');
    }
    if (isOnItsWay(found)) return receipt('in-flight');
    // A retry of BullMQ's is at once, at its old priority, and another ask.
    if (found.state === 'absent' || found.unreadable || isTimed(when) || when.askedAt !== undefined) {
      await found.job.remove();
      return undefined;
    }
    await views.clearCancel(id);
    if (!(await rerunJob(found, data, 'kept'))) return undefined;
    return receipt(found.state === 'failed' ? 'retried' : 'accepted');
  }
}

/** A plan whose view is lost with Redis, as the journal has it; nothing where that has an end without its text. */
function forgottenView(plan: KnownPlan | undefined, remembered: (id: string) => string | undefined): PlanView | undefined {
  if (plan === undefined) return undefined;
  const result = plan.state === 'running' ? undefined : remembered(plan.id);
  if (plan.state !== 'running' && result === undefined) return undefined;
  return { ...plan, current: undefined, cancelRequested: false, result };
}

interface PlanPush {
  readonly data: PlanJobData;
  readonly when: PlanJobWhen;
  /** Milliseconds since 1970; 0: now. */
  readonly notBefore: number;
}

/** What a failed plan shows that waits to be run on. */
const WAITS = { state: 'waiting', current: undefined, error: undefined, result: undefined } as const;

function isQueued(found: FoundJob | undefined): boolean {
  return found?.state === 'waiting' || found?.state === 'delayed';
}

function isOnItsWay(found: FoundJob | undefined): boolean {
  return isQueued(found) || found?.state === 'active';
}
