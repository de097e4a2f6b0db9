import { setMaxListeners } from 'node:events';
import type { KernelClient, LeaseTerms, PushOptions, Receipt, TaskGateway } from '../../../core/ports/index.ts';
import { createSemaphore } from '../../../core/semaphore.ts';
import { type ParsedTask, parseTask, type Rejection } from '../../shared/input/parse-task.ts';
import { readItems } from '../../shared/input/read-items.ts';
import { untilAborted } from '../../shared/input/until-aborted.ts';
import { type Sent, type Signed, sendChunk, signChunk } from '../../shared/tasks/send.ts';
import { isLast, type TaskStatus, waitForOutcome } from '../../shared/tasks/task-status.ts';

/** Tasks per request to the kernel and to Redis. */
export const CHUNK = 200;
/** Chunks between the reader and Redis: while one is pushed, the next ones are signed. */
const CHUNKS_IN_FLIGHT = 4;
/** Tasks that `--wait` waits for at the same time. */
const WAITERS = 1_000;

export interface PushPorts {
  readonly tasks: TaskGateway;
  /** Signs what has no lease; `undefined` without `--sign`. */
  readonly kernel: Pick<KernelClient, 'issue'> | undefined;
  /** Waits for outcomes; `undefined` without `--wait`. */
  readonly follower: Follower | undefined;
}

/** What is told while the push runs; a promise holds it back. */
export interface PushReport {
  receipt(task: ParsedTask, receipt: Receipt): Promise<void>;
  rejected(rejection: Rejection): Promise<void>;
  outcome(taskId: string, status: TaskStatus): Promise<void>;
  progress(bytesRead: number, summary: PushSummary): void;
}

export interface PushAllOptions {
  readonly terms: LeaseTerms;
  readonly push: PushOptions;
  /** Stops the reading; what is under way is finished. */
  readonly signal: AbortSignal;
}

/**
 * Pushes every task of an input in its order. Memory is bounded: four chunks of 200 are on their way, the input waits
 * for them. An error of Redis or the kernel is thrown after what was on its way has ended; `summary` then tells how far it got.
 */
export async function pushAll(
  source: AsyncIterable<Uint8Array>,
  ports: PushPorts,
  options: PushAllOptions,
  report: PushReport,
  summary: PushSummary = emptySummary(),
): Promise<PushSummary> {
  const chunks = createSemaphore(CHUNKS_IN_FLIGHT);
  const waiters = createSemaphore(WAITERS);
  let broken: { readonly error: unknown } | undefined;
  let pushed: Promise<void> = Promise.resolve();
  const breakOff = (error: unknown): void => {
    broken ??= { error };
    ports.follower?.stop();
  };

  const submit = async (chunk: readonly ParsedTask[]): Promise<void> => {
    await chunks.acquire();
    const signed = signChunk(chunk, ports.kernel, options.terms);
    signed.catch(breakOff);
    // One chunk after the other reaches the queue, so that tasks keep the order of the input.
    pushed = pushed
      .then(() => deliver(signed))
      .catch(breakOff)
      .finally(() => chunks.release());
  };
  const deliver = async (signed: Promise<Signed>): Promise<void> => {
    if (broken) return;
    await account(await sendChunk(await signed, ports.tasks.enqueue, options.push));
  };
  const account = async ({ receipts, rejections }: Sent): Promise<void> => {
    for (const rejection of rejections) await reject(rejection);
    for (const [task, receipt] of receipts) {
      countReceipt(summary, receipt.kind);
      await report.receipt(task, receipt);
      if (ports.follower && receipt.kind !== 'conflict') await follow(receipt.taskId, ports.follower);
    }
  };
  const follow = async (taskId: string, follower: Follower): Promise<void> => {
    await waiters.acquire();
    follower.news();
    follower
      .wait(taskId)
      .then(async (status) => {
        countOutcome(summary, status);
        await report.outcome(taskId, status);
      })
      .catch(breakOff)
      .finally(() => waiters.release());
  };
  const reject = async (rejection: Rejection): Promise<void> => {
    // The kernel knows it as well as Redis does, and says so before anything is pushed.
    if (rejection.code === 'TASK_ID_CONFLICT') summary.conflicts += 1;
    else summary.rejected += 1;
    await report.rejected(rejection);
  };

  for await (const { items, bytesRead } of readItems(untilAborted(source, options.signal))) {
    let chunk: ParsedTask[] = [];
    for (const item of items) {
      const task = parseTask(item);
      if ('code' in task) await reject(task);
      else if (task.job.lease === undefined && !ports.kernel) await reject(unsigned(task));
      else chunk.push(task);
      if (chunk.length === CHUNK) {
        await submit(chunk);
        chunk = [];
      }
      if (broken || options.signal.aborted) break;
    }
    // A slow writer's lines are not held back until a chunk is full.
    if (chunk.length > 0 && !broken && !options.signal.aborted) await submit(chunk);
    report.progress(bytesRead, summary);
    if (broken || options.signal.aborted) break;
  }
  await pushed;
  await waiters.idle();
  ports.follower?.stop();
  summary.interrupted = options.signal.aborted;
  if (broken) throw broken.error;
  return summary;
}

function countOutcome(summary: PushSummary, status: TaskStatus): void {
  if (status.state === 'finished' && status.outcome.status === 'SUCCESS') summary.succeeded += 1;
  else if (isLast(status) && status.state !== 'unknown') summary.failed += 1;
  else summary.unanswered += 1;
}

function unsigned({ line, job }: ParsedTask): Rejection {
  return { line, task_id: job.manifest.task_id, code: 'INVALID_LEASE', field: 'lease', message: 'is missing: add --sign to have the kernel issue one' };
}

/** The closing summary of a push. */
export interface PushSummary {
  /** New jobs. */
  accepted: number;
  /** Failed jobs that run again. */
  retried: number;
  in_flight: number;
  /** Finished before; the same result stands. */
  replayed: number;
  conflicts: number;
  /** Lines that are no task, and tasks that were not taken. */
  rejected: number;
  /** With --wait: outcomes, those of finished tasks included. */
  succeeded: number;
  /** Also ends that nobody has signed. */
  failed: number;
  /** With --wait: no outcome in time. */
  unanswered: number;
  interrupted: boolean;
  ms: number;
}

export function emptySummary(): PushSummary {
  return { accepted: 0, retried: 0, in_flight: 0, replayed: 0, conflicts: 0, rejected: 0, succeeded: 0, failed: 0, unanswered: 0, interrupted: false, ms: 0 };
}

/** Where a receipt is counted. */
const COUNTED_AS = {
  accepted: 'accepted',
  retried: 'retried',
  'in-flight': 'in_flight',
  finished: 'replayed',
  conflict: 'conflicts',
} satisfies Record<Receipt['kind'], keyof PushSummary>;

export function countReceipt(summary: PushSummary, kind: Receipt['kind']): void {
  summary[COUNTED_AS[kind]] += 1;
}

/** Waits for outcomes on behalf of a push. */
export interface Follower {
  wait(taskId: string): Promise<TaskStatus>;
  /** Something was pushed or ended: the time without news begins again. */
  news(): void;
  /** Ends every wait; waits that begin later end at once. */
  stop(): void;
}

/**
 * Gives up when nothing was pushed and no outcome came for `quietMs`: a long run of many tasks is no reason to stop
 * waiting, a queue that nobody serves is.
 */
export function createFollower(tasks: TaskGateway, quietMs: number, signal: AbortSignal): Follower {
  const quiet = new AbortController();
  const ended = AbortSignal.any([quiet.signal, signal]);
  // Every open task listens; Node would take more than ten for a leak.
  setMaxListeners(0, ended);
  const watchdog = setTimeout(() => quiet.abort(), quietMs);
  return {
    async wait(taskId) {
      // setTimeout's limit is 2^31 - 1 ms; the watchdog ends the wait.
      const status = await waitForOutcome(taskId, tasks, { timeoutMs: 2 ** 31 - 1, signal: ended });
      if (!ended.aborted) watchdog.refresh();
      return status;
    },
    news() {
      if (!ended.aborted) watchdog.refresh();
    },
    stop() {
      clearTimeout(watchdog);
      quiet.abort();
    },
  };
}
