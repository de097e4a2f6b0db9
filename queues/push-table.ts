import type { Queue } from 'bullmq';
import { isAnyThere, pipelined } from '../src/adapters/redis/redis-connection.ts';
import { WritError } from '../src/core/errors.ts';
import type { Receipt, TaskRow } from '../src/core/ports/index.ts';
import { jobOptions } from './catalog.ts';
import { type FoundJob, findJob, manifestHashOf } from './job-lookup.ts';
import { classOfRow, isTimed, type Push, type PushContext, type RowClass, receiptOf } from './push.ts';

type JobClass = 'absent' | 'pending' | 'pending-other' | 'failed' | 'completed';

/**
 * The push table: ledger row (rows) and BullMQ job (columns). A ledger row may be missing at any time, and a job may
 * vanish or repeat: nothing is lost or doubled by a wrong guess here, because the worker asks the ledger and the journal.
 */
const TABLE = {
  finished: { absent: answer, pending: answer, 'pending-other': answer, failed: answer, completed: answer },
  other: { absent: conflict, pending: conflict, 'pending-other': conflict, failed: conflict, completed: conflict },
  // A job that waits with another manifest holds the id until it ends. `completed` here means that the row was lost.
  open: { absent: add, pending: inFlight, 'pending-other': conflict, failed: again, completed: again },
} satisfies Record<RowClass, Record<JobClass, Step>>;

interface Situation {
  readonly push: Push;
  readonly row: TaskRow | undefined;
  readonly found: FoundJob | undefined;
  readonly context: PushContext;
}
/** `undefined`: the job moved on meanwhile, look again. */
type Step = (situation: Situation) => Promise<Receipt | undefined>;

/** Each round needs another writer to change the same job in between. */
const MAX_ROUNDS = 8;

/** Pushes by the table. */
export async function pushOne(push: Push, context: PushContext): Promise<Receipt> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const [row, found] = await Promise.all([context.ledger.row(push.taskId), findJob(context.queue(push), context.connection, push.jobId)]);
    const receipt = await TABLE[await classOfRow(row, push, context.results)][classOfJob(found, push.sha)]({ push, row, found, context });
    if (receipt) return receipt;
  }
  throw new WritError('WRONG_STATE', `the job of task '${push.taskId}' keeps changing; push again`);
}

function classOfJob(found: FoundJob | undefined, sha: string): JobClass {
  if (!found) return 'absent';
  // In no list of BullMQ's: a retry is refused, and `again` removes it.
  if (found.state === 'absent') return 'failed';
  if (found.state === 'failed' || found.state === 'completed') return found.state;
  return manifestHashOf(found.job.data) === sha ? 'pending' : 'pending-other';
}

/** The receipt where the row alone decides, whatever became of the job: the rows of the table that have one step only. */
async function receiptOfRow(push: Push, row: TaskRow | undefined, { results }: Pick<PushContext, 'results'>): Promise<Receipt | undefined> {
  return ROW_ANSWERS[await classOfRow(row, push, results)](push, row);
}

const ROW_ANSWERS = {
  finished: ({ taskId }, row) => ({ kind: 'finished', taskId, result: row?.result ?? '' }),
  other: ({ taskId }) => ({ kind: 'conflict', taskId }),
  open: () => undefined,
} satisfies Record<RowClass, (push: Push, row: TaskRow | undefined) => Receipt | undefined>;

async function answer({ push, row }: Situation): Promise<Receipt> {
  return ROW_ANSWERS.finished(push, row);
}

async function conflict({ push }: Situation): Promise<Receipt> {
  return ROW_ANSWERS.other(push);
}

async function inFlight({ push }: Situation): Promise<Receipt> {
  return receiptOf('in-flight', push);
}

async function add({ push, row, context }: Situation): Promise<Receipt> {
  await context.guard?.check();
  if (row?.cancelRequested) await context.ledger.clearCancel(push.taskId, context.clock.now());
  await context.queue(push).add(push.name, push.data, jobOptions(push.jobId, push.attempts, push.when));
  context.guard?.added(1, push.text.length);
  return receiptOf('accepted', push);
}

/** Gives the job that BullMQ still has the new data and runs it again; adding it would change nothing. */
async function again({ push, row, found, context }: Situation): Promise<Receipt | undefined> {
  if (!found) return undefined;
  if (row?.cancelRequested) await context.ledger.clearCancel(push.taskId, context.clock.now());
  // A retry of BullMQ's is at once and at its old priority.
  if (found.state === 'absent' || found.unreadable || isTimed(push.when)) {
    await found.job.remove();
    return undefined;
  }
  const rerun = await rerunJob(found, push.data);
  if (!rerun) return undefined;
  return receiptOf(found.state === 'completed' ? 'accepted' : 'retried', push);
}

/**
 * Runs a job again that has ended.
 *
 * @param data replaces the job's; `undefined` leaves it
 * @param ends how often it has ended is forgotten, so that it has all its attempts again; or kept, where it names the ask (`wish.ts`)
 * @returns false when somebody else moved the job first
 */
export async function rerunJob({ job, state }: FoundJob, data: unknown, ends: 'forgotten' | 'kept' = 'forgotten'): Promise<boolean> {
  try {
    if (data !== undefined) await job.updateData(data);
    await job.retry(state === 'completed' ? 'completed' : 'failed', { resetAttemptsMade: ends === 'forgotten', resetAttemptsStarted: true });
    return true;
  } catch (error) {
    if (hasMoved(error)) return false;
    throw error;
  }
}

/** BullMQ's codes: -1 the job is gone, -3 it is not in the state it was in. */
function hasMoved(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === -1 || error.code === -3);
}

/** Jobs that are looked up together. */
const CHUNK = 500;

/** Pushes in chunks; what a chunk needs of Redis is asked for all of its tasks together. Receipts in the order of the pushes. */
export async function pushMany(pushes: readonly Push[], context: PushContext): Promise<readonly Receipt[]> {
  const receipts: Receipt[] = [];
  for (let at = 0; at < pushes.length; at += CHUNK) receipts.push(...(await pushChunk(pushes.slice(at, at + CHUNK), context)));
  return receipts;
}

async function pushChunk(chunk: readonly Push[], context: PushContext): Promise<readonly Receipt[]> {
  await context.guard?.check();
  const { fresh, settled, known, repeated } = (await areAllNew(chunk, context)) ? { ...NOTHING, fresh: chunk } : await sorted(chunk, context);
  await addFresh(fresh, context);
  const receipts = new Map(settled);
  for (const push of fresh) receipts.set(push, receiptOf('accepted', push));
  for (const [push, receipt] of await together(known, (one) => pushOne(one, context))) receipts.set(push, receipt);
  // The first of two pushes of one task decides what the second meets.
  for (const push of repeated) receipts.set(push, await pushOne(push, context));
  return chunk.flatMap((push) => receipts.get(push) ?? []);
}

interface Sorted {
  /** Neither ledger nor queue knows their id: they need no look at the table. */
  readonly fresh: readonly Push[];
  /** The ledger alone answers them. */
  readonly settled: readonly (readonly [Push, Receipt])[];
  readonly known: readonly Push[];
  /** Their id occurs earlier in the chunk. */
  readonly repeated: readonly Push[];
}

const NOTHING: Sorted = { fresh: [], settled: [], known: [], repeated: [] };

/** Whether neither ledger nor queues know any of them, which is the common case: one question to each, however many they are. */
async function areAllNew(chunk: readonly Push[], { ledger, connection }: PushContext): Promise<boolean> {
  const ids = chunk.map(({ taskId }) => taskId);
  if (new Set(ids).size < ids.length) return false;
  const jobs = chunk.map(({ prefix, queueName, jobId }) => `${prefix}:${queueName}:${jobId}`);
  const known = await Promise.all([ledger.knowsAny(ids), isAnyThere(connection, jobs)]);
  return !known.includes(true);
}

async function sorted(chunk: readonly Push[], context: PushContext): Promise<Sorted> {
  const { ledger, connection } = context;
  const lookups = chunk.map(({ prefix, queueName, jobId }) => ['exists', `${prefix}:${queueName}:${jobId}`] as const);
  const [rows, jobs] = await Promise.all([Promise.all(chunk.map(({ taskId }) => ledger.row(taskId))), pipelined(connection, lookups)]);
  // All at once, so that the crypto threads get one batch.
  const receipts = await Promise.all(chunk.map((push, index) => receiptOfRow(push, rows[index], context)));
  const seen = new Set<string>();
  const fresh: Push[] = [];
  const settled: (readonly [Push, Receipt])[] = [];
  const known: Push[] = [];
  const repeated: Push[] = [];
  for (const [index, push] of chunk.entries()) {
    const row = rows[index];
    const receipt = receipts[index];
    if (receipt) settled.push([push, receipt]);
    else if (seen.has(push.taskId)) repeated.push(push);
    else (row === undefined && jobs[index]?.[1] === 0 ? fresh : known).push(push);
    seen.add(push.taskId);
  }
  return { fresh, settled, known, repeated };
}

/** All at once, so that their commands share round trips. What fails is told when nothing of it runs any more. */
async function together(pushes: readonly Push[], work: (push: Push) => Promise<Receipt>): Promise<readonly (readonly [Push, Receipt])[]> {
  const ends = await Promise.allSettled(pushes.map(async (push) => [push, await work(push)] as const));
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}

async function addFresh(fresh: readonly Push[], { queue, addJobs, guard }: PushContext): Promise<void> {
  guard?.added(
    fresh.length,
    fresh.reduce((sum, { text }) => sum + text.length, 0),
  );
  const places = new Map<Queue<unknown>, Push[]>();
  for (const push of fresh) {
    const place = queue(push);
    const pushes = places.get(place);
    if (pushes === undefined) places.set(place, [push]);
    else pushes.push(push);
  }
  // One after the other in a shard, the shards beside each other.
  await Promise.all(
    [...places].map(async ([place, pushes]) => {
      const jobs = pushes.map(({ name, data, text, jobId, attempts, when }) => ({ name, data, text, opts: jobOptions(jobId, attempts, when) }));
      const timed = pushes.some(({ when }) => isTimed(when));
      await (timed ? place.addBulk(jobs.map(({ name, data, opts }) => ({ name, data, opts }))) : addJobs(place, jobs));
    }),
  );
}
