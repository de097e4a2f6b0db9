import { setTimeout as sleep } from 'node:timers/promises';
import { duplicateOf, type RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { messageOf } from '../src/core/errors.ts';
import { type Lifecycle, lifecycle } from '../src/core/lifecycle.ts';
import type { ResultReader, TaskIndexWriter } from '../src/core/ports/index.ts';
import { taskQueues } from './catalog.ts';
import { ONE_SHARD, type QueueShards } from './shards.ts';
import { FeedStopped, IndexLost } from './task-feed-context.ts';
import { type FeedTimes, followQueues } from './task-feed-follow.ts';

export interface TaskFeedOptions {
  /** Two connections of the feed's own are made like this one; the owner closes the original. */
  readonly connection: RedisConnection;
  readonly pool: string;
  /** Of the tools that are bound on this host; each has a queue. */
  readonly providers?: readonly string[];
  readonly shards?: QueueShards;
  readonly index: TaskIndexWriter;
  readonly results: ResultReader;
  readonly clock?: Clock;
  /** Told of every failure; the feed tries again by itself. */
  readonly onError?: (error: unknown) => void;
  readonly times?: Partial<FeedTimes>;
}

const TIMES: FeedTimes = { blockMs: 1000, gatherMs: 50, sweepMs: 5000, rewalkMs: 5000 };
const RETRY_FIRST_MS = 100;
const MAX_RETRY_MS = 5000;
/** A command that Redis does not answer in this time has failed; the waiting read is always answered sooner. */
const COMMAND_MS = 10_000;

/**
 * Feeds the task index from BullMQ's own event streams of the pool's task queues, hence with every task, whoever pushed
 * it. Fills an empty index from queues and ledger first, and makes good what it missed. While Redis or the index is away
 * it keeps trying, and `index.health()` says so. The index must run before it.
 */
export function createTaskFeed({
  connection,
  pool,
  providers,
  shards = ONE_SHARD,
  index,
  results,
  clock = systemClock,
  onError = () => undefined,
  times,
}: TaskFeedOptions): Lifecycle {
  const settings: FeedTimes = { ...TIMES, ...times };
  let stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function feed(signal: AbortSignal): Promise<void> {
    const [redis, waiting] = [own(connection), own(connection)];
    const cut = (): void => waiting.disconnect();
    signal.addEventListener('abort', cut);
    let failures = 0;
    let soundAt = clock.now();
    const soundAgain = (): void => {
      failures = 0;
      soundAt = clock.now();
    };
    while (!signal.aborted) {
      try {
        const { generation, positions } = await index.begin();
        const queues = taskQueues(pool, providers);
        const streams = shards.all.flatMap((prefix) => queues.map((queue) => ({ prefix, queue })));
        const context = { redis, index, results, generation, pool, streams, shards, stopping: signal };
        await followQueues({ context, waiting, positions, clock, times: settings, soundAgain });
      } catch (error) {
        if (signal.aborted || error instanceof FeedStopped) break;
        if (error instanceof IndexLost) continue;
        failures += 1;
        index.report({ state: 'failed', lagMs: Math.max(0, clock.now() - soundAt), problem: messageOf(error) });
        onError(error);
        await sleep(Math.min(MAX_RETRY_MS, RETRY_FIRST_MS * 2 ** Math.min(failures, 10)), undefined, { signal }).catch(() => undefined);
      }
    }
    // The other has been cut. Nothing is closed twice: ioredis waits two seconds for the end of what has ended before.
    redis.disconnect();
  }

  return lifecycle(
    () => {
      stopping = new AbortController();
      running = feed(stopping.signal);
    },
    async () => {
      stopping.abort();
      await running;
    },
  );
}

function own(connection: RedisConnection): RedisConnection {
  const redis = duplicateOf(connection, { maxRetriesPerRequest: 1, enableOfflineQueue: true, commandTimeout: COMMAND_MS, connectionName: 'writ-task-feed' });
  // Each call reports its own failure; without a listener the event would be printed.
  return redis.on('error', () => undefined);
}
