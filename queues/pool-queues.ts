import type { Queue } from 'bullmq';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { type Lanes, laneQueues, poolQueues, QUEUE_PREFIX } from './catalog.ts';
import { openQueue } from './open-queue.ts';
import { ONE_SHARD, type QueueShards } from './shards.ts';

export interface PoolQueuesOptions {
  /** The owner closes it. */
  readonly connection: RedisConnection;
  readonly pool: string;
  /** Of the tools that are bound on this host; each has a queue. */
  readonly providers?: readonly string[];
  readonly lanes?: Lanes;
  readonly shards?: QueueShards;
}

/** A queue of the pool with all of its shards; a lane has one. */
export interface PoolQueue {
  readonly name: string;
  readonly shards: readonly Queue[];
}

/** Opens every queue of a pool for looking and switching, in their fixed order. Opening writes nothing. */
export function openPoolQueues({ connection, pool, providers, lanes = {}, shards = ONE_SHARD }: PoolQueuesOptions): readonly PoolQueue[] {
  const single = laneQueues(pool, lanes);
  const prefixes = (name: string): readonly string[] => (single.includes(name) ? [QUEUE_PREFIX] : shards.all);
  return poolQueues(pool, providers, lanes).map((name) => ({
    name,
    shards: prefixes(name).map((prefix) => openQueue(name, prefix, connection, { skipMetasUpdate: true })),
  }));
}

export async function closePoolQueues(queues: readonly PoolQueue[]): Promise<void> {
  await Promise.all(queues.flatMap(({ shards }) => shards.map((queue) => queue.close())));
}
