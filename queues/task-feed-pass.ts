import type { IndexChange } from '../src/core/ports/index.ts';
import { type FeedContext, store, throwIfStopping } from './task-feed-context.ts';
import { readJobs } from './task-feed-jobs.ts';
import { readLedger, scanLedger, taskOfLedger } from './task-feed-ledger.ts';
import { jobPages } from './task-feed-lists.ts';
import { taskOfJob } from './task-feed-row.ts';
import { endOf, millisecondsOf, positionName, type Stream } from './task-feed-stream.ts';
import { sweepAll } from './task-feed-sweep.ts';

const MAX_READ = 500;

/**
 * Brings the index in line with queues and ledger from end to end, page by page: for the first fill, and whenever events
 * were missed. The ends of the streams are taken first: what happens during the pass is read from there afterwards.
 *
 * @returns the new positions of the streams, which are stored last: a pass that was cut off is made again
 */
export async function pass(context: FeedContext, { quiet }: { readonly quiet: boolean }): Promise<Readonly<Record<string, string>>> {
  const { redis, streams } = context;
  const positions: Record<string, string> = {};
  for (const stream of streams) positions[positionName(stream)] = await endOf(redis, stream);

  for (const stream of streams) await walkQueue(context, stream, { quiet, notBefore: millisecondsOf(positions[positionName(stream)] ?? '0') });
  await walkLedger(context, { quiet });
  if (!quiet) await sweepAll(context);
  await store(context, [], { positions });
  return positions;
}

/** `notBefore`: the clock of Redis may have gone back, stream ids never do. While one page is stored the next is read. */
async function walkQueue(context: FeedContext, stream: Stream, { quiet, notBefore }: { quiet: boolean; notBefore: number }): Promise<void> {
  let storing: Promise<void> = Promise.resolve();
  for await (const { state, jobIds, seenAt } of jobPages(context.redis, stream)) {
    throwIfStopping(context);
    const jobs = await readJobs(
      context.redis,
      jobIds.map((jobId) => ({ ...stream, jobId })),
    );
    const moment = { state, at: undefined, seenAt: Math.max(seenAt, notBefore) };
    const changes = jobs.flatMap((job): IndexChange[] => (job === undefined ? [] : [{ kind: 'look', task: taskOfJob(job, moment) }]));
    await storing;
    storing = store(context, changes, { quiet });
    // Its failure is met at the next await; without a listener until then it would end the process.
    storing.catch(() => undefined);
  }
  await storing;
}

/** Adds the tasks that only the ledger remembers. */
export async function walkLedger(context: FeedContext, { quiet }: { readonly quiet: boolean }): Promise<void> {
  const { redis, index, pool, results } = context;
  for await (const taskIds of scanLedger(redis)) {
    throwIfStopping(context);
    const unknown = await index.unknown(taskIds);
    for (let start = 0; start < unknown.length; start += MAX_READ) {
      const asked = unknown.slice(start, start + MAX_READ);
      const looks = await readLedger(redis, results, asked);
      const changes = asked.flatMap((taskId, at): IndexChange[] => {
        const look = looks[at];
        // seenAt 0: whatever a queue says about the job later is newer.
        return look?.kind === 'ended' ? [{ kind: 'look', task: taskOfLedger(taskId, look, undefined, { pool, seenAt: 0 }) }] : [];
      });
      await store(context, changes, { quiet });
    }
  }
}
