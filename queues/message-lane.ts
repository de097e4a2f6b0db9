import { setTimeout as pause } from 'node:timers/promises';
import { type Job, UnrecoverableError } from 'bullmq';
import { z } from 'zod';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import { IngestOp, IngestOutcome, MAX_INGEST_BYTES, MAX_INGEST_OPS } from '../src/contracts/index.ts';
import { messageOf, WritError } from '../src/core/errors.ts';
import type { IngestBatch, IngestEnd, IngestHandler, MessageLane } from '../src/core/ports/index.ts';
import { LOCK_TIMES, messageQueueName, QUEUE_PREFIX, RETENTION, workerOptions } from './catalog.ts';
import { standInReason } from './job-bounds.ts';
import { type LaneOptions, laneLife } from './lane-life.ts';
import { openQueue } from './open-queue.ts';
import { withoutStack } from './without-stack.ts';

export interface MessageLaneOptions extends LaneOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Told of each job that was given up or could not be read. */
  readonly onFailed?: (job: string, error: unknown) => void;
}

/** Jobs that the writer may do in one transaction. */
const AT_ONCE = 32;
/** A full disk is made room on, a locked database is let go: about a quarter of an hour. */
const ATTEMPTS = 10;
const FIRST_BACKOFF_MS = 1000;
/** Words from the future would win against everybody until then; clocks differ by less. */
const MAX_AHEAD_MICROS = 60_000_000;
const LOOK_FIRST_MS = 5;
const MAX_LOOK_MS = 250;

/**
 * The way to the writer on BullMQ's queue `message-index`. Jobs are begun in the order in which they came; one that was cut
 * off by a kill is given again within 12 s, after newer ones perhaps, which the store's rule of the newest word allows.
 */
export function createMessageLane(options: MessageLaneOptions): MessageLane {
  const { pool, connection, newId, now, locks = LOCK_TIMES, guard, onFailed = () => undefined, onError = () => undefined } = options;
  const queue = openQueue(messageQueueName(pool), QUEUE_PREFIX, connection);
  let lastAt = 0;

  /** Two batches of one process never bear the same time. */
  const stamp = (): number => {
    lastAt = Math.max(lastAt + 1, now() * 1000);
    return lastAt;
  };

  const run = async (job: Job<unknown>, _token: string | undefined, handle: IngestHandler): Promise<unknown> => {
    const read = readMessageJob(job);
    if (read.kind === 'malformed') {
      onFailed(job.id ?? '', new WritError('INVALID_ARGUMENT', read.message));
      throw withoutStack(new UnrecoverableError(read.message));
    }
    // Its data was put away after it was done, and then its end was not written.
    if (read.kind === 'done') return EMPTY;
    try {
      const outcome = await handle({ ...read.batch, at: Math.min(read.batch.at, now() * 1000 + MAX_AHEAD_MICROS) });
      await job.updateData(doneJobData(read.batch.ops.length));
      return outcome;
    } catch (error) {
      onFailed(job.id ?? '', error);
      throw withoutStack(new Error(messageOf(error)));
    }
  };

  return {
    ...laneLife({ queue, connection: options.worker, settings: { ...workerOptions(locks, AT_ONCE), maxDataChars: MAX_INGEST_BYTES }, onError, run }),
    submit: async (ops) => {
      if (ops.length === 0 || ops.length > MAX_INGEST_OPS) throw new WritError('INVALID_ARGUMENT', `a job has 1 to ${MAX_INGEST_OPS} operations`);
      const data = messageJobData({ at: stamp(), ops });
      if (Buffer.byteLength(JSON.stringify(data)) > MAX_INGEST_BYTES) throw new WritError('BODY_TOO_LARGE', `a job has at most ${MAX_INGEST_BYTES} bytes`);
      return redisCall(async () => {
        await guard?.check();
        const job = await queue.add('ingest', data, {
          jobId: `i_${newId()}`,
          attempts: ATTEMPTS,
          backoff: { type: 'exponential', delay: FIRST_BACKOFF_MS },
          ...RETENTION,
        });
        return { job: job.id ?? '' };
      });
    },
    async settled(id, signal) {
      const key = queue.toKey(id);
      for (let wait = LOOK_FIRST_MS; ; wait = Math.min(wait * 2, MAX_LOOK_MS)) {
        const [returned, finished, reason, data] = await redisCall(() => connection.hmget(key, 'returnvalue', 'finishedOn', 'failedReason', 'timestamp'));
        if (data === null || data === undefined) throw lost(id);
        if (finished !== null && finished !== undefined) return endOf(returned, reason);
        // A look is one command; an event would need a connection of its own for each who waits.
        const isTime = await pause(wait, true, { signal }).catch(() => false);
        if (!isTime) return undefined;
      }
    },
  };
}

/** Whoever sends it again is told how it ended: every operation does the same when it is done twice. */
function lost(id: string): WritError {
  return new WritError('REDIS_UNAVAILABLE', `Redis does not have job ${id} any more, so nobody can tell whether it was done; send the same once more`);
}

const EMPTY: IngestOutcome = { counts: { inserted: 0, updated: 0, deleted: 0, unchanged: 0, refused: 0 }, ids: [], refusals: [] };

function endOf(returned: string | null | undefined, reason: string | null | undefined): IngestEnd {
  if (returned === null || returned === undefined) return { ok: false, message: reason ?? 'the job failed' };
  return { ok: true, outcome: IngestOutcome.parse(JSON.parse(returned)) };
}

/** The data of a job of the queue `message-index`. */
const MessageJobData = z.strictObject({ v: z.literal(1), at: z.int().min(0), ops: z.array(IngestOp).min(1).max(MAX_INGEST_OPS) });

/** What is left of a job that is done: the board need not keep what it brought. */
const DoneJobData = z.strictObject({ v: z.literal(1), done: z.literal(true), ops: z.int() });

type ReadMessageJob =
  | { readonly kind: 'batch'; readonly batch: IngestBatch }
  | { readonly kind: 'done' }
  | { readonly kind: 'malformed'; readonly message: string };

/** Whoever can write to Redis can put anything there: a job that is none is refused as a whole, before anything of it is done. */
function readMessageJob({ data }: { readonly data: unknown }): ReadMessageJob {
  const parsed = MessageJobData.safeParse(data);
  if (parsed.success) return { kind: 'batch', batch: { at: parsed.data.at, ops: parsed.data.ops } };
  if (DoneJobData.safeParse(data).success) return { kind: 'done' };
  const replaced = standInReason(data);
  if (replaced !== undefined) return { kind: 'malformed', message: `INVALID_ARGUMENT: ${replaced}` };
  const issue = parsed.error.issues[0];
  return { kind: 'malformed', message: `INVALID_ARGUMENT: the job is no list of operations${issue === undefined ? '' : ` (${issue.path.join('.')})`}` };
}

function messageJobData(batch: IngestBatch): z.input<typeof MessageJobData> {
  return { v: 1, at: batch.at, ops: [...batch.ops] };
}

function doneJobData(ops: number): z.input<typeof DoneJobData> {
  return { v: 1, done: true, ops };
}
