import type { EventEmitter } from 'node:events';
import type { Cluster, Redis } from 'ioredis';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { type ClusterTarget, clusterOptions, type RedisSettings, type RedisTarget, type ServerTarget, targetOptions } from '../src/adapters/redis/target.ts';
import { tlsFault } from '../src/adapters/redis/tls-fault.ts';
import { AnsweredCluster } from './answered-cluster.ts';
import { AnsweredRedis } from './answered-redis.ts';

const RECONNECT_STEP_MS = 50;
const MAX_RECONNECT_MS = 1000;

/**
 * How long a server may keep a command waiting without a byte of an answer. Then the connection counts as lost: it is opened
 * anew, and what has no answer is sent again, or refused as after any loss. BullMQ's longest wait for a job is 10 s.
 */
const SILENCE_MS = 15_000;

/**
 * What a connection is for, and how it behaves when Redis is away.
 * None of them uses ioredis' auto-pipelining: BullMQ does not work with it, and for the ledger it is slower than
 * `together` of `src/adapters/redis/ledger.ts` (measured).
 */
const KINDS = {
  /** BullMQ workers: wait for Redis as long as it takes; BullMQ demands it. */
  worker: (silenceMs) => ({ maxRetriesPerRequest: null, socketTimeout: silenceMs }),
  /** Ledger, presence and revocations of a worker: ride out a restart of Redis, give up after about 10 s, or after two silences. */
  ledger: (silenceMs) => ({ maxRetriesPerRequest: 20, commandTimeout: 2 * silenceMs, socketTimeout: silenceMs }),
  /** HTTP, command line: fail at once rather than pile up requests. */
  producer: () => ({ maxRetriesPerRequest: 1, enableOfflineQueue: false, connectTimeout: 2000, commandTimeout: 5000 }),
  /** Subscriptions come back by themselves. */
  subscriber: (silenceMs) => ({ maxRetriesPerRequest: null, autoResubscribe: true, socketTimeout: silenceMs }),
} satisfies Record<string, (silenceMs: number) => RedisSettings>;

export type ConnectionKind = keyof typeof KINDS;

/**
 * While a replica takes over, a cluster refuses commands or nobody answers; they are sent again after a pause. A failover
 * takes `cluster-node-timeout` and a second or two: a worker rides it out, a caller of the API is told after about 5 s.
 */
const CLUSTER_RETRY_MS = 250;
const CLUSTER_RETRIES = { worker: 240, ledger: 120, producer: 20, subscriber: 240 } as const satisfies Record<ConnectionKind, number>;
/** A worker has a connection for each shard of each queue, and each asks for itself who has which slot. */
const CLUSTER_REFRESH_MS = 5000;
/** On a busy host ioredis' own second is too short, and then it gives up every node at once. */
const CLUSTER_REFRESH_TIMEOUT_MS = 5000;

/**
 * The one maker of Redis connections. It connects at once and again after every loss; the owner closes it.
 *
 * @param onError told of each failed connection, as WritError REDIS_TLS when the two sides cannot trust each other; without
 *   it they stay silent, because the calls fail anyway
 * @param silenceMs as `SILENCE_MS`
 */
export function createConnection(target: ServerTarget, kind: ConnectionKind, onError?: (error: Error) => void, silenceMs?: number): Redis;
export function createConnection(target: RedisTarget, kind: ConnectionKind, onError?: (error: Error) => void, silenceMs?: number): RedisConnection;
export function createConnection(
  target: RedisTarget,
  kind: ConnectionKind,
  onError: (error: Error) => void = () => undefined,
  silenceMs = SILENCE_MS,
): RedisConnection {
  const settings = KINDS[kind](silenceMs);
  const redis: RedisConnection = target.cluster === undefined ? connectServer(target, kind, settings) : connectCluster(target, kind, settings);
  const events: EventEmitter = redis;
  events.on('error', (error: Error) => onError(tlsFault(error) ?? error));
  return redis;
}

function connectServer(target: ServerTarget, kind: ConnectionKind, settings: RedisSettings): Redis {
  return new AnsweredRedis({
    ...targetOptions(target),
    ...settings,
    enableAutoPipelining: false,
    connectionName: `writ-${kind}`,
    retryStrategy: (times) => Math.min(times * RECONNECT_STEP_MS, MAX_RECONNECT_MS),
  });
}

function connectCluster(target: ClusterTarget, kind: ConnectionKind, { enableOfflineQueue = true, ...settings }: RedisSettings): Cluster {
  const { nodes, options } = clusterOptions(target);
  return new AnsweredCluster(nodes, {
    redisOptions: { ...options, ...settings, enableAutoPipelining: false, connectionName: `writ-${kind}` },
    enableOfflineQueue,
    enableAutoPipelining: false,
    maxRedirections: CLUSTER_RETRIES[kind],
    retryDelayOnFailover: CLUSTER_RETRY_MS,
    retryDelayOnClusterDown: CLUSTER_RETRY_MS,
    retryDelayOnTryAgain: CLUSTER_RETRY_MS,
    slotsRefreshInterval: CLUSTER_REFRESH_MS,
    slotsRefreshTimeout: CLUSTER_REFRESH_TIMEOUT_MS,
    clusterRetryStrategy: (times) => Math.min(times * RECONNECT_STEP_MS, MAX_RECONNECT_MS),
  });
}

/** Resolves when the connection works; a producer's must before its first call, since it queues nothing. Rejects when it is closed, or was. */
export async function connected<R extends RedisConnection>(redis: R): Promise<R> {
  if (redis.status === 'ready') return redis;
  if (redis.status === 'end') throw closed();
  const events: EventEmitter = redis;
  await new Promise<void>((settle, fail) => {
    const ready = (): void => {
      events.off('end', end);
      settle();
    };
    const end = (): void => {
      events.off('ready', ready);
      fail(closed());
    };
    events.once('ready', ready);
    events.once('end', end);
  });
  return redis;
}

function closed(): Error {
  return new Error('the Redis connection was closed');
}
