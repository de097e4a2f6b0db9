import { replies } from '../src/adapters/redis/redis-connection.ts';
import type { IndexChange, NumberedTask } from '../src/core/ports/index.ts';
import { afterJob, ledgerOf } from './task-feed-changes.ts';
import { type FeedContext, store, throwIfStopping } from './task-feed-context.ts';
import { jobKey } from './task-feed-jobs.ts';

const PAGE = 500;

/**
 * Looks at one page of rows whether queue or ledger still know them: a task that has ended and is in neither goes; one
 * that waits or runs without a job gets the outcome from the ledger, or goes.
 *
 * @returns the number of the last row, 0 when there are no more
 */
export async function sweepPage(context: FeedContext, after: number): Promise<number> {
  const page = await context.index.walk(after, PAGE);
  const last = page.at(-1);
  if (last === undefined) return 0;
  await store(context, await forgotten(context, page));
  return page.length < PAGE ? 0 : last.n;
}

export async function sweepAll(context: FeedContext): Promise<void> {
  let after = 0;
  do {
    throwIfStopping(context);
    after = await sweepPage(context, after);
  } while (after > 0);
}

async function forgotten(context: FeedContext, page: readonly NumberedTask[]): Promise<readonly IndexChange[]> {
  const { redis, shards } = context;
  const present = await replies(
    redis,
    page.flatMap(({ task }) => shards.all.map((prefix) => ['exists', jobKey({ ...task, prefix })] as const)),
  );
  const isGone = (index: number): boolean => shards.all.every((_, shard) => present[index * shards.all.length + shard] === 0);
  const gone = page.filter((_, index) => isGone(index)).map(({ task }) => task);
  if (gone.length === 0) return [];
  const looks = await ledgerOf(
    context,
    gone.map(({ taskId }) => taskId),
  );
  // The row's own time of looking: a job that came back meanwhile has a newer one, and stays.
  return gone.flatMap((task, index) => afterJob(context, task, task, looks[index], task.seenAt));
}
