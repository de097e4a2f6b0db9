import { setTimeout as delay } from 'node:timers/promises';
import { DelayedError, type Job, UnrecoverableError, type Worker } from 'bullmq';
import { QUEUE_PREFIX } from '../queues/catalog.ts';
import { readyUnlessStopped } from '../queues/lane-life.ts';
import { TolerantWorker, type TolerantWorkerOptions } from '../queues/tolerant-worker.ts';
import { boundTraces, withoutStack } from '../queues/without-stack.ts';
import type { Clock } from '../src/core/clock.ts';
import type { Lifecycle } from '../src/core/lifecycle.ts';
import type { Attempt } from '../src/observability/deliveries.ts';
import type { Delivery } from './delivery.ts';
import type { InFlight, Running } from './in-flight.ts';
import { createLockWatch } from './lock-watch.ts';
import type { Action, JobAttempts } from './settle.ts';
import type { Slots } from './slots.ts';

export interface QueueWorkerOptions {
  /** Queue name including its pool. */
  readonly queue: string;
  /** BullMQ's own options: connection, prefix, concurrency, lock and stalled times, retention (`queues/catalog.ts`). */
  readonly worker: TolerantWorkerOptions;
  /** How long a stop waits for running jobs before it interrupts them, milliseconds. */
  readonly drainMs: number;
  /** Errors of the connection and of BullMQ itself. */
  readonly onError: (error: Error) => void;
  /** Told of locks that could not be renewed. */
  readonly onRenewalFailed?: (jobs: number) => void;
  /** Told of each job of a lost worker that this one put back. */
  readonly onStalled?: (jobId: string) => void;
}

/** What is done with one delivery; `afterDelay` runs once a job that is delayed is parked. */
export interface HandledDelivery {
  readonly action: Action;
  readonly afterDelay?: () => Promise<void>;
}

export interface QueueWorkerDeps {
  readonly clock: Clock;
  readonly inFlight: InFlight;
  handle(delivery: Delivery, running: Running, tries: JobAttempts): Promise<HandledDelivery>;
  /** Opens BullMQ's worker; the simulation gives one that lives in memory. */
  readonly open?: OpenWorker;
  /** Shared with steps of plans that run here without a job. */
  readonly slots?: Slots;
}

/** The part of BullMQ's worker that is relied on. */
export type OpenWorker = (queue: string, process: (job: Job, token?: string) => Promise<unknown>, options: TolerantWorkerOptions) => Worker;

const openBullWorker: OpenWorker = (queue, process, options) => new TolerantWorker(queue, process, options);

/** One BullMQ worker. */
export interface QueueWorker extends Lifecycle {
  readonly queue: string;
}

/** Between two looks for what is still in hand after a drain. */
const LOOK_MS = 50;

/** Serves one queue until stopped. Stopping drains: running jobs may end, no new ones start. */
export function createQueueWorker(options: QueueWorkerOptions, deps: QueueWorkerDeps): QueueWorker {
  const locks = createLockWatch(options.worker.lockDuration ?? 0, deps.clock);
  let worker: Worker | undefined;
  let wasReady = false;
  let stopped = new AbortController();

  const process = async (job: Job, token?: string): Promise<unknown> => {
    const jobId = job.id ?? '';
    const running = deps.inFlight.begin(jobId);
    const lock = locks.begin(jobId, job.processedOn);
    const turn = deps.slots?.take();
    if (turn !== undefined) await turn;
    try {
      const delivery: Delivery = {
        data: job.data,
        queue: options.queue,
        jobId,
        prefix: options.worker.prefix ?? QUEUE_PREFIX,
        attempt: attemptOf(job),
        hasAttemptsLeft: job.attemptsMade + 1 < (job.opts.attempts ?? 1),
        // Made for who asks: it costs more than a line of the log.
        get signal() {
          return running.controller.signal;
        },
        stop: (reason) => running.controller.abort(reason),
        lockIsFresh: lock.isFresh,
      };
      const handled = await deps.handle(delivery, running, { started: job.attemptsStarted, allowed: job.opts.attempts ?? 1 });
      return await carryOut(handled, job, token);
    } finally {
      deps.slots?.give();
      lock.end();
      deps.inFlight.end(running);
    }
  };

  /**
   * After the time of the drain, when no job is in hand. BullMQ's own end may then still wait for an answer of a server that
   * is gone: a job that was promised in between is given to another worker when its lock ends. A worker that has not met
   * Redis yet was promised nothing.
   */
  const nothingLeft = async (signal: AbortSignal): Promise<void> => {
    await delay(wasReady ? options.drainMs : 0, undefined, { ref: false, signal });
    while (deps.inFlight.size > 0) await delay(LOOK_MS, undefined, { ref: false, signal });
  };

  return {
    queue: options.queue,
    async start() {
      if (worker) return;
      worker = (deps.open ?? openBullWorker)(options.queue, process, { ...options.worker, autorun: true, onRenewing: locks.renewing });
      worker.on('error', options.onError);
      worker.on('locksRenewed', ({ jobIds }) => locks.renewed(jobIds));
      // BullMQ only tells; the handler must stop by itself (job-processing.md 3.1).
      worker.on('lockRenewalFailed', (jobIds) => {
        deps.inFlight.stop({ jobIds }, 'lock-lost');
        options.onRenewalFailed?.(jobIds.length);
      });
      worker.on('stalled', (jobId) => options.onStalled?.(jobId));
      wasReady = false;
      stopped = new AbortController();
      await readyUnlessStopped(worker, stopped.signal);
      wasReady = true;
      const [serving, { concurrency = 1 }] = [worker, options.worker];
      deps.slots?.open((held) => {
        serving.concurrency = concurrency - held;
      });
    },
    async stop() {
      if (!worker) return;
      const stopping = worker;
      worker = undefined;
      deps.slots?.close();
      stopped.abort();
      const closed = new AbortController();
      const interrupt = setTimeout(() => deps.inFlight.stop({}, 'shutdown'), options.drainMs);
      try {
        await Promise.race([Promise.all([stopping.close(), deps.slots?.idle()]), nothingLeft(closed.signal)]);
      } finally {
        clearTimeout(interrupt);
        closed.abort();
      }
    },
    async [Symbol.asyncDispose]() {
      await this.stop();
    },
  };
}

function attemptOf({ timestamp, processedOn = timestamp, attemptsStarted, attemptsMade, stacktrace }: Job): Attempt {
  return { addedAt: timestamp, fetchedAt: processedOn, started: attemptsStarted, failed: attemptsMade, failures: stacktrace?.length ?? 0 };
}

/** Tells BullMQ. A failed job keeps its code and sentence and no stack trace of ours. */
async function carryOut({ action, afterDelay }: HandledDelivery, job: Job, token: string | undefined): Promise<unknown> {
  switch (action.kind) {
    case 'complete':
      return action.value;
    case 'fail':
      if (job.stacktrace) job.stacktrace = boundTraces(job.stacktrace);
      throw withoutStack(action.recoverable ? new Error(action.message) : new UnrecoverableError(action.message));
    case 'delay':
      // The move is refused when the lock is no longer ours; then the job has been given to somebody else already.
      await job.moveToDelayed(Date.now() + action.ms, token).catch(() => undefined);
      await afterDelay?.();
      throw new DelayedError();
  }
}
