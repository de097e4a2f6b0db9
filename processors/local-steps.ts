import type { LockTimes } from '../queues/catalog.ts';
import { jobIdOf } from '../queues/job-id.ts';
import type { LeftJob, LeftJobs } from '../queues/left-jobs.ts';
import type { QueueShards } from '../queues/shards.ts';
import type { TaskJob, TaskManifest } from '../src/contracts/index.ts';
import type { Presence, TaskRow } from '../src/core/ports/index.ts';
import type { PipelineDeps } from './context.ts';
import type { Delivery } from './delivery.ts';
import { runDelivery } from './pipeline.ts';
import { answered, type DeliveryEnd, settle } from './settle.ts';
import type { Slots } from './slots.ts';
import { createStepBeat, type StepBeat } from './step-beat.ts';

/** One queue of this worker in one shard: its slots, and its pipeline. */
export interface LocalQueue {
  readonly queue: string;
  readonly prefix: string;
  readonly slots: Slots;
  readonly deps: PipelineDeps;
}

/** The delivery of a plan, by whose lock its step runs, and with which it stops. */
export type StepHolder = Pick<Delivery, 'signal' | 'lockIsFresh'>;

/** A local step that has ended. */
export interface LocalEnd {
  readonly end: DeliveryEnd;
  /** Resolves when the job that it would have had lies in its queue, or cannot be left there. Never rejects. */
  readonly left: Promise<void>;
}

/** A local step on its way. */
export interface LocalRun {
  readonly ended: Promise<LocalEnd>;
  /** The plan will be parked: from now on the step lives by a heartbeat of its own, and its end wakes the plan. Never rejects. */
  detach(): Promise<void>;
}

/** Steps of plans that run in this process, through the pipeline of their queue and without a job (docs/plan-protocol.md 1). */
export interface LocalSteps {
  /** Whether the queue is served here, and takes what comes: it is neither paused nor limited. */
  mayRun(queue: string, taskId: string): Promise<boolean>;
  /** Takes a slot of the queue for the step, and answers how to run it, once; `undefined` when none is free. */
  take(queue: string, taskId: string): ((job: TaskJob, holder: StepHolder) => LocalRun) | undefined;
  /** Whether a worker that lives runs the task, which has no job. */
  isHeld(taskId: string, row: TaskRow): Promise<boolean>;
  /** Leaves behind the job of a step that has ended here without one; `result` as it was signed. Never rejects. */
  leave(queue: string, manifest: TaskManifest, result: string): Promise<void>;
}

export interface LocalStepsOptions {
  readonly queues: readonly LocalQueue[];
  readonly shards: Pick<QueueShards, 'home'>;
  readonly jobs: LeftJobs;
  /** Steps whose plans are parked say by it that they run. */
  readonly presence: Presence;
  /** Of the locks of jobs, milliseconds: a step that runs on has a heartbeat instead. */
  readonly times: Pick<LockTimes, 'lockMs' | 'renewMs'>;
}

export function createLocalSteps({ queues, shards, jobs, presence, times }: LocalStepsOptions): LocalSteps {
  const served = (queue: string, taskId: string): LocalQueue | undefined => {
    const prefix = shards.home(taskId);
    return queues.find((one) => one.queue === queue && one.prefix === prefix);
  };
  const leave = async ({ queue, prefix }: LocalQueue, job: TaskJob, end: DeliveryEnd, times: Pick<LeftJob, 'begunAt' | 'endedAt'>): Promise<void> => {
    const told = settle(end, { started: 1, allowed: 1 });
    if (told.kind !== 'delay') await jobs.leave({ queue, prefix, job, told, ...times });
  };

  function inSlot(here: LocalQueue, job: TaskJob, holder: StepHolder): LocalRun {
    const begunAt = here.deps.clock.now();
    const { ended, detach } = runHere(here, job, holder, {
      begunAt,
      beat: createStepBeat(jobIdOf(job.manifest.task_id), here.deps.clock, { presence, times }),
    });
    const told = ended.finally(here.slots.giveBack).then((end): LocalEnd => {
      return { end, left: leave(here, job, end, { begunAt, endedAt: here.deps.clock.now() }) };
    });
    return { ended: told, detach };
  }

  return {
    async mayRun(queue, taskId) {
      const here = served(queue, taskId);
      return here !== undefined && (await jobs.takesAll(here));
    },
    take(queue, taskId) {
      const here = served(queue, taskId);
      return here?.slots.tryTake() ? (job, holder) => inSlot(here, job, holder) : undefined;
    },
    isHeld: async (taskId, { state, owner }) => state === 'running' && owner !== '' && (await presence.isAlive(jobIdOf(taskId))),
    async leave(queue, manifest, result) {
      const here = served(queue, manifest.task_id);
      if (here === undefined) return;
      const now = here.deps.clock.now();
      await leave(here, { v: 1, manifest }, answered(result), { begunAt: now, endedAt: now });
    },
  };
}

/** Only the one job id names a task's job, so a job that is pushed later claims as the same one. */
function runHere(
  { queue, prefix, deps }: LocalQueue,
  job: TaskJob,
  { signal, lockIsFresh }: StepHolder,
  { begunAt, beat }: { readonly begunAt: number; readonly beat: StepBeat },
): Pick<LocalRun, 'detach'> & { readonly ended: Promise<DeliveryEnd> } {
  const jobId = jobIdOf(job.manifest.task_id);
  const running = deps.inFlight.begin(jobId, 'plan');
  let isAttached = true;
  let isOurs = true;
  const stop = (): void => running.controller.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  const detach = async (): Promise<void> => {
    await beat.start();
    // Where the lock ran out before the heartbeat was heard, the step may be another's.
    isOurs = lockIsFresh();
    isAttached = false;
    signal.removeEventListener('abort', stop);
  };
  const delivery: Delivery = {
    data: job,
    queue,
    jobId,
    prefix,
    attempt: { addedAt: begunAt, fetchedAt: begunAt, started: 1, failed: 0, failures: 0 },
    signal: running.controller.signal,
    stop: (reason) => running.controller.abort(reason),
    lockIsFresh: () => (isAttached ? lockIsFresh() : isOurs && beat.isFresh()),
    get isLocal() {
      return isAttached;
    },
  };
  const { around = (_delivery, work) => work() } = deps;
  const ended = around(delivery, () => runDelivery(delivery, running, deps)).finally(() => {
    signal.removeEventListener('abort', stop);
    deps.inFlight.end(running);
    beat.stop();
  });
  return { ended, detach };
}
