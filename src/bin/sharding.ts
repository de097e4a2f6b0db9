import type { Config } from '../../config/schema.ts';
import { type QueueShards, queueShards } from '../../queues/shards.ts';
import type { RedisConnection } from '../adapters/redis/redis-connection.ts';
import { type Replicated, waitForReplicas } from '../adapters/redis/replicated.ts';

/** Where a producer's pushes go, and what they wait for before they are acknowledged. */
export function sharding({ queue, redis }: Config, connection: RedisConnection): { readonly shards: QueueShards; readonly replicated: Replicated | undefined } {
  return { shards: queueShards(queue), replicated: waitForReplicas(connection, { replicas: redis.wait_replicas, ms: redis.wait_ms }) };
}
