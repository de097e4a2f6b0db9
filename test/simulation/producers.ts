import { createEnqueue } from '../../queues/enqueue.ts';
import { createPlans } from '../../queues/plans.ts';
import { manifestSha256 } from '../../src/core/hash.ts';
import { PLAN_NOTICE, planSubject } from '../../src/core/notice-subject.ts';
import { createPlanEndReader, createResultReader, fixedKeyring } from '../../src/lease/index.ts';
import type { Parts, Push } from './parts.ts';
import { planRecord } from './plan-record.ts';
import type { PlanTicket } from './plan-tickets.ts';
import { takeBack } from './plan-undo.ts';
import { cancelAfter, isTakenBack } from './plan-weather.ts';
import { isHopeless } from './scenario.ts';
import { SimProcess } from './scheduler.ts';
import { EXECUTOR_KEY, type Ticket } from './tasks.ts';
import { cheapEd25519 } from './twins/crypto.ts';
import { PLAN_QUEUE } from './twins/kernel.ts';
import { planJobsFor } from './twins/plans.ts';
import { remote } from './world.ts';

/** Whose results producers believe. */
const EXECUTORS = { keyring: fixedKeyring([EXECUTOR_KEY]), ed25519: cheapEd25519 };
const AGAIN_MS = 1_000;
const RETRY_MS = 2_000;
/** After so long somebody else pushes a task. */
const LATE_MS = 3_000;

/** A producer that pushes when it is time, until the push is accepted, and again when Redis has lost it. */
function produce(
  { world, redis, open, pushAgain }: Parts,
  id: string,
  at: number,
  process: SimProcess,
  push: () => Promise<unknown>,
  then: () => Promise<void>,
) {
  const pushed = async (): Promise<void> => {
    for (;;) {
      const losses = redis.losses;
      try {
        await push();
        if (losses === redis.losses) return;
      } catch {
        await world.wait(process, AGAIN_MS);
      }
    }
  };
  const counted = async (work: () => Promise<void>): Promise<void> => {
    await work();
    open.producers -= 1;
  };
  open.producers += 1;
  world.scheduler.at(at, process, () => {
    void counted(async () => {
      await pushed();
      await then();
      pushAgain.set(id, () => {
        open.producers += 1;
        world.scheduler.at(AGAIN_MS / 2, process, () => void counted(pushed));
      });
    });
  });
}

export function produceTask(parts: Parts, { id, index, task, queue, job }: Ticket): void {
  const { world, redis } = parts;
  const process = new SimProcess(`producer-${index}`, world.scheduler, { mortal: false });
  const enqueue = createEnqueue({
    connection: redis.connectionFor(process),
    open: (name) => redis.queueFor(process, name),
    ledger: remote(world, process, 'redis', 'ledger', redis.ledger),
    results: createResultReader(EXECUTORS),
    clock: process.clock,
    pool: 'default',
  });
  const attempts = index % 3 === 0 && !isHopeless(task) ? 3 : 1;
  const duplicates = async (): Promise<void> => {
    const raw = redis.queueFor(process, queue);
    for (let copy = 0; copy < task.duplicates; copy += 1) await raw.add('raw', job, {}).catch(() => undefined);
  };
  const push: Push = () => enqueue.push(job, { queue, attempts });
  const { push: pushWished } = parts.wishes;
  // Wished before it is pushed, as surfaces do.
  const wished =
    pushWished && (() => pushWished({ taskId: id, capabilityId: job.manifest.capability_id, manifestSha256: manifestSha256(job.manifest) }, process, push));
  const isLate = index % 2 === 1;
  const isDone = async (): Promise<boolean> => (await redis.ledger.row(id))?.state === 'success';
  // Of every other task the end is wished only by somebody who pushes it when it is done.
  const then = async (): Promise<void> => {
    await duplicates();
    if (wished === undefined || !isLate) return;
    await world.wait(process, LATE_MS);
    if (!(await isDone())) return;
    // Who has no answer pushes again, also where Redis has forgotten meanwhile that the task was done.
    for (;;) {
      const isAnswered = await wished().then(
        () => true,
        () => false,
      );
      if (isAnswered) return;
      await world.wait(process, AGAIN_MS);
    }
  };
  produce(parts, id, task.at, process, isLate ? push : (wished ?? push), then);
}

/** @param again the plan was run before, and somebody pushes it once more */
export function producePlan(parts: Parts, ticket: PlanTicket, again = false): void {
  const { planSha256, envelope, lease, plan, index } = ticket;
  const { world, redis, host, open } = parts;
  const process = new SimProcess(`planner-${index}`, world.scheduler, { mortal: false });
  const jobs = planJobsFor(world, process, redis);
  const plans = createPlans({
    jobs,
    views: remote(world, process, 'redis', 'views', redis.views.port()),
    ends: createPlanEndReader(EXECUTORS),
    clock: process.clock,
  });
  const data = { v: 1, envelope, lease };
  const raw = (): Promise<unknown> => redis.queueFor(process, PLAN_QUEUE).add('raw', data, { jobId: `raw-${index}` });
  // What the plan journal knows is the sweeper's to put back on the queue.
  const push: Push = async () => {
    if (!again && planRecord(host.stores, planSha256) !== undefined) return undefined;
    if (!plan.raw) return plans.push({ envelope, lease });
    await raw();
    return undefined;
  };
  const retry = async (): Promise<void> => {
    if (!plan.retried || plan.raw) return;
    const failed = (): boolean => redis.queue(PLAN_QUEUE).jobs.get(`p_${planSha256}`)?.state === 'failed';
    redis.queue(PLAN_QUEUE).onFailed = () => {
      redis.queue(PLAN_QUEUE).onFailed = () => undefined;
      parts.open.producers += 1;
      world.scheduler.at(Math.max(RETRY_MS, world.scenario.boundAt - world.now), process, () => {
        const again = failed() ? plans.retry(planSha256).catch(() => undefined) : Promise.resolve();
        void again.then(() => {
          parts.open.producers -= 1;
        });
      });
    };
  };
  const cancel = (): void => {
    const after = cancelAfter(world.scenario);
    if (after === undefined || plan.raw) return;
    open.producers += 1;
    const counted = (): void => {
      open.producers -= 1;
    };
    world.scheduler.at(after, process, () => void plans.cancel(planSha256).then(counted, counted));
  };
  const undo = (): void => {
    if (!isTakenBack(world.scenario)) return;
    open.producers += 1;
    const counted = (): void => {
      open.producers -= 1;
    };
    void takeBack(parts, ticket, process, plans, createResultReader(EXECUTORS)).then(counted, counted);
  };
  const then = async (): Promise<void> => {
    cancel();
    undo();
    await retry();
  };
  const pushWished = parts.wishes.push;
  const told = world.scenario.webhooks?.plans === true && !plan.raw && index % 2 === 0;
  const subject = { taskId: planSubject(planSha256), capabilityId: PLAN_NOTICE, manifestSha256: planSha256 };
  const wished = pushWished === undefined || !told ? push : () => pushWished(subject, process, push);
  produce(parts, planSha256, plan.at, process, wished, then);
}
