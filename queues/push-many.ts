import type { Receipt } from '../src/core/ports/index.ts';
import { jobOptions, QUEUE_PREFIX } from './catalog.ts';
import { type Push, type PushContext, receiptOf } from './push.ts';
import { pushOne } from './push-table.ts';

/** Jobs per round trip. BullMQ adds a chunk in one transaction, during which Redis serves nobody else. */
const CHUNK = 500;

/** Pushes in chunks: new tasks by one bulk add, the others one by one. Receipts in the order of the pushes. */
export async function pushMany(pushes: readonly Push[], context: PushContext): Promise<readonly Receipt[]> {
  const receipts: Receipt[] = [];
  for (let at = 0; at < pushes.length; at += CHUNK) receipts.push(...(await pushChunk(pushes.slice(at, at + CHUNK), context)));
  return receipts;
}

async function pushChunk(chunk: readonly Push[], context: PushContext): Promise<readonly Receipt[]> {
  await context.guard?.check();
  const fresh = await freshOnes(chunk, context);
  await addBulk([...fresh], context);
  const receipts: Receipt[] = [];
  for (const push of chunk) {
    // An id that occurs twice is new only once.
    receipts.push(fresh.has(push) ? receiptOf('accepted', push) : await pushOne(push, context));
  }
  return receipts;
}

/** The pushes that need no look at the table: neither ledger nor queue knows their id. */
async function freshOnes(chunk: readonly Push[], { ledger, connection }: PushContext): Promise<ReadonlySet<Push>> {
  const lookups = connection.pipeline();
  for (const { queueName, jobId } of chunk) lookups.exists(`${QUEUE_PREFIX}:${queueName}:${jobId}`);
  const [rows, jobs] = await Promise.all([Promise.all(chunk.map(({ taskId }) => ledger.row(taskId))), lookups.exec()]);
  const seen = new Set<string>();
  return new Set(
    chunk.filter(({ taskId }, index) => {
      const isNew = !seen.has(taskId) && rows[index] === undefined && jobs?.[index]?.[1] === 0;
      seen.add(taskId);
      return isNew;
    }),
  );
}

async function addBulk(fresh: readonly Push[], { queue }: PushContext): Promise<void> {
  for (const name of new Set(fresh.map(({ queueName }) => queueName))) {
    const jobs = fresh
      .filter(({ queueName }) => queueName === name)
      .map((push) => ({ name: push.name, data: push.data, opts: jobOptions(push.jobId, push.attempts) }));
    await queue(name).addBulk(jobs);
  }
}
