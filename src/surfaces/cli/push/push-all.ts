import type { KernelClient, LeaseTerms, PushOptions, Receipt, TaskGateway } from '../../../core/ports/index.ts';
import { createSlots } from '../../../core/semaphore.ts';
import { type ParsedTask, parseTask, type Rejection } from '../../shared/input/parse-task.ts';
import { readItems } from '../../shared/input/read-items.ts';
import { untilAborted } from '../../shared/input/until-aborted.ts';
import { type Sent, type Signed, sendChunk, signChunk } from '../../shared/tasks/send.ts';
import type { TaskStatus } from '../../shared/tasks/task-status.ts';
import type { Follower } from './follow.ts';
import { countReceipt, emptySummary, type PushSummary } from './tally.ts';

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
  receipt(offer: ParsedTask, receipt: Receipt): Promise<void>;
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
  const chunks = createSlots(CHUNKS_IN_FLIGHT);
  const waiters = createSlots(WAITERS);
  let broken: { readonly error: unknown } | undefined;
  let pushed: Promise<void> = Promise.resolve();
  const breakOff = (error: unknown): void => {
    broken ??= { error };
    ports.follower?.stop();
  };

  const submit = async (chunk: readonly ParsedTask[]): Promise<void> => {
    await chunks.take();
    const signed = signChunk(chunk, ports.kernel, options.terms);
    signed.catch(breakOff);
    // One chunk after the other reaches the queue, so that tasks keep the order of the input.
    pushed = pushed
      .then(() => deliver(signed))
      .catch(breakOff)
      .finally(() => chunks.give());
  };
  const deliver = async (signed: Promise<Signed>): Promise<void> => {
    if (broken) return;
    await account(await sendChunk(await signed, ports.tasks.enqueue, options.push));
  };
  const account = async ({ receipts, rejections }: Sent): Promise<void> => {
    for (const rejection of rejections) await reject(rejection);
    for (const [offer, receipt] of receipts) {
      countReceipt(summary, receipt.kind);
      await report.receipt(offer, receipt);
      if (ports.follower && receipt.kind !== 'conflict') await follow(receipt.taskId, ports.follower);
    }
  };
  const follow = async (taskId: string, follower: Follower): Promise<void> => {
    await waiters.take();
    follower.news();
    follower
      .wait(taskId)
      .then(async (status) => {
        countStanding(summary, status);
        await report.outcome(taskId, status);
      })
      .catch(breakOff)
      .finally(() => waiters.give());
  };
  const reject = async (rejection: Rejection): Promise<void> => {
    summary.rejected += 1;
    await report.rejected(rejection);
  };

  for await (const { items, bytesRead } of readItems(untilAborted(source, options.signal))) {
    let chunk: ParsedTask[] = [];
    for (const item of items) {
      const offer = parseTask(item);
      if ('code' in offer) await reject(offer);
      else if (offer.job.lease === undefined && !ports.kernel) await reject(unsigned(offer));
      else chunk.push(offer);
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

function countStanding(summary: PushSummary, status: TaskStatus): void {
  if (status.state === 'finished' && status.outcome.status === 'SUCCESS') summary.succeeded += 1;
  else if (status.state === 'finished' || status.state === 'malformed') summary.failed += 1;
  else summary.unanswered += 1;
}

function unsigned({ line, job }: ParsedTask): Rejection {
  return { line, task_id: job.manifest.task_id, code: 'INVALID_LEASE', field: 'lease', message: 'is missing: add --sign to have the kernel issue one' };
}
