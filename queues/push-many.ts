import type { Queue } from 'bullmq';
import { pipelined } from '../src/adapters/redis/redis-connection.ts';
import type { Receipt } from '../src/core/ports/index.ts';
import { jobOptions } from './catalog.ts';
import { type Push, type PushContext, receiptOf } from './push.ts';
import { pushOne, receiptOfRow } from './push-table.ts';

/** Jobs per round trip. BullMQ adds a chunk in one transaction, during which Redis serves nobody else. */
const CHUNK = 500;

/** Pushes in chunks; what a chunk needs of Redis is asked for all of its tasks together. Receipts in the order of the pushes. */
export async function pushMany(pushes: readonly Push[], context: PushContext): Promise<readonly Receipt[]> {
  const receipts: Receipt[] = [];
  for (let at = 0; at < pushes.length; at += CHUNK) receipts.push(...(await pushChunk(pushes.slice(at, at + CHUNK), context)));
  return receipts;
}

async function pushChunk(chunk: readonly Push[], context: PushContext): Promise<readonly Receipt[]> {
  await context.guard?.check();
  const { fresh, settled, known, repeated } = await sorted(chunk, context);
  await addBulk(fresh, context);
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

async function addBulk(fresh: readonly Push[], { queue }: PushContext): Promise<void> {
  const places = new Map<Queue<unknown>, Push[]>();
  for (const push of fresh) {
    const place = queue(push);
    const pushes = places.get(place);
    if (pushes === undefined) places.set(place, [push]);
    else pushes.push(push);
  }
  // One after the other in a shard, the shards beside each other.
  await Promise.all(
    [...places].map(([place, pushes]) =>
      place.addBulk(pushes.map((push) => ({ name: push.name, data: push.data, opts: jobOptions(push.jobId, push.attempts) }))),
    ),
  );
}
