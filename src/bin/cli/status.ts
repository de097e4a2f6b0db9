import { existsSync, readdirSync } from 'node:fs';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUE_PREFIX, taskQueues } from '../../../queues/catalog.ts';
import { ALL_TAGS, generationKey } from '../../adapters/redis/keys.ts';
import { redisHealth } from '../../adapters/redis/policy.ts';
import { createRedisPresence } from '../../adapters/redis/presence.ts';
import { redisCall } from '../../adapters/redis/redis-error.ts';
import type { QueueStatus, SystemStatus } from '../../core/ports/front-door.ts';
import type { CliRedis } from './redis.ts';
import type { CliSettings } from './settings.ts';

/** Failed jobs that are looked at for their codes. */
const SAMPLE = 500;

/** What Redis says about the queues of this pool, its workers and itself. Throws WritError REDIS_UNAVAILABLE. */
export async function readStatus({ loaded, places }: CliSettings, redis: CliRedis): Promise<SystemStatus> {
  const connection = await redis.connection('producer');
  return redisCall(async () => {
    const [queues, workers, ledger, health] = await Promise.all([
      Promise.all(taskQueues(loaded.config.pool.id).map((name) => queueStatus(name, connection))),
      workersOf(places.workers, connection),
      ledgerStatus(connection),
      redisHealth(connection),
    ]);
    const { version, maxmemoryPolicy: policy, appendOnly, usedBytes, limitBytes } = health;
    return { queues, workers, ledger, redis: { version, policy, appendOnly, usedBytes, limitBytes } };
  });
}

async function queueStatus(name: string, connection: Redis): Promise<QueueStatus> {
  const queue = new Queue(name, { connection, prefix: QUEUE_PREFIX, skipWaitingForReady: true, skipVersionCheck: true });
  queue.on('error', () => undefined);
  try {
    const [counts, paused, workers, oldestWaitingMs, failures] = await Promise.all([
      queue.getJobCounts(),
      queue.isPaused(),
      queue.getWorkersCount(),
      oldestWaiting(queue, connection),
      failuresOf(queue, connection),
    ]);
    const count = (...states: string[]): number => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
    return {
      queue: name,
      waiting: count('waiting', 'paused', 'prioritized'),
      active: count('active'),
      delayed: count('delayed'),
      completed: count('completed'),
      failed: count('failed'),
      paused,
      oldestWaitingMs,
      workers,
      ...failures,
    };
  } finally {
    await queue.close();
  }
}

/** Jobs are read field by field: data that a raw producer broke must not break the status. */
async function oldestWaiting(queue: Queue, connection: Redis): Promise<number | undefined> {
  const ids = await Promise.all(['wait', 'paused'].map((list) => connection.lindex(queue.toKey(list), -1)));
  const added = await Promise.all(ids.map((id) => (id === null ? null : connection.hget(queue.toKey(id), 'timestamp'))));
  const times = added.filter((time) => time !== null).map(Number);
  return times.length === 0 ? undefined : Math.max(0, Date.now() - Math.min(...times));
}

async function failuresOf(queue: Queue, connection: Redis): Promise<Pick<QueueStatus, 'failures' | 'failuresSampled'>> {
  const ids = await connection.zrevrange(queue.toKey('failed'), 0, SAMPLE - 1);
  const lookups = connection.pipeline();
  for (const id of ids) lookups.hget(queue.toKey(id), 'failedReason');
  const failures: Record<string, number> = {};
  for (const [, reason] of (await lookups.exec()) ?? []) {
    const code = /^([A-Z][A-Z_]{2,40}):/.exec(String(reason))?.[1] ?? 'OTHER';
    failures[code] = (failures[code] ?? 0) + 1;
  }
  return { failures, failuresSampled: ids.length };
}

/** A pool is one host, so every worker of it holds a lock file here. */
async function workersOf(directory: string, connection: Redis): Promise<SystemStatus['workers']> {
  const instances = existsSync(directory) ? readdirSync(directory).flatMap((name) => /^(.+)\.lock$/.exec(name)?.[1] ?? []) : [];
  const presence = createRedisPresence(connection);
  return Promise.all(instances.map(async (instance) => ({ instance, alive: await presence.isAlive(instance) })));
}

async function ledgerStatus(connection: Redis): Promise<SystemStatus['ledger']> {
  const lookups = connection.pipeline();
  for (const tag of ALL_TAGS) lookups.get(generationKey(tag));
  const values = ((await lookups.exec()) ?? []).map(([, value]) => value).filter((value): value is string => typeof value === 'string');
  return { markers: values.length, expected: ALL_TAGS.length, generation: values[0] };
}
