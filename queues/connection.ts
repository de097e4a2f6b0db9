import { Redis, type RedisOptions } from 'ioredis';
import { type RedisTarget, targetOptions } from '../src/adapters/redis/target.ts';

const RECONNECT_STEP_MS = 50;
const RECONNECT_MOST_MS = 1000;

/**
 * What a connection is for, and how it behaves when Redis is away.
 * None of them uses ioredis' auto-pipelining: BullMQ does not work with it, and for the ledger it is slower than
 * `write-together.ts` (measured).
 */
const KINDS = {
  /** BullMQ workers: wait for Redis as long as it takes; BullMQ demands it. */
  worker: { maxRetriesPerRequest: null },
  /** Ledger, presence and revocations of a worker: ride out a restart of Redis, give up after about 10 s. */
  ledger: { maxRetriesPerRequest: 20 },
  /** HTTP, command line: fail at once rather than pile up requests. */
  producer: { maxRetriesPerRequest: 1, enableOfflineQueue: false, connectTimeout: 2000, commandTimeout: 5000 },
  /** Subscriptions come back by themselves. */
  subscriber: { maxRetriesPerRequest: null, autoResubscribe: true },
} as const satisfies Record<string, RedisOptions>;

export type ConnectionKind = keyof typeof KINDS;

/**
 * The one maker of Redis connections. It connects at once and again after every loss; the owner closes it.
 *
 * @param onError told of each failed connection; without it they stay silent, because the calls fail anyway
 */
export function createConnection(target: RedisTarget, kind: ConnectionKind, onError: (error: Error) => void = () => undefined): Redis {
  const redis = new Redis({
    ...targetOptions(target),
    ...KINDS[kind],
    enableAutoPipelining: false,
    connectionName: `writ-${kind}`,
    retryStrategy: (times) => Math.min(times * RECONNECT_STEP_MS, RECONNECT_MOST_MS),
  });
  return redis.on('error', onError);
}

/** Resolves when the connection works; a producer's must before its first call, since it queues nothing. */
export async function connected(redis: Redis): Promise<Redis> {
  if (redis.status === 'ready') return redis;
  await new Promise<void>((settle, fail) => {
    redis.once('ready', settle);
    redis.once('end', () => fail(new Error('the Redis connection was closed')));
  });
  return redis;
}
