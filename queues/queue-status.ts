import { readdirSync } from 'node:fs';
import type { Queue } from 'bullmq';
import { ALL_TAGS, generationKey } from '../src/adapters/redis/keys.ts';
import { redisHealth } from '../src/adapters/redis/policy.ts';
import { createRedisPresence } from '../src/adapters/redis/presence.ts';
import { type RedisConnection, replies } from '../src/adapters/redis/redis-connection.ts';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import type { QueueFigures, QueueStatus, SystemFigures, SystemStatus } from '../src/core/ports/index.ts';
import { saysAbsent, unreadable } from '../src/core/unreadable.ts';
import { MAX_FIELD_CHARS } from './job-bounds.ts';
import { closePoolQueues, openPoolQueues, type PoolQueue, type PoolQueuesOptions } from './pool-queues.ts';
import { joinFigures } from './shard-figures.ts';

/** Failed jobs that are looked at for their codes. */
const SAMPLE = 500;

export interface StatusReaderOptions extends PoolQueuesOptions {
  /** Directory of the lock files of workers: a pool is one host, so every worker of it holds a file here. */
  readonly workers: string;
}

/** Reads what Redis says about the queues of a pool, its workers and itself. Both reject with WritError REDIS_UNAVAILABLE. */
export interface StatusReader {
  /** Cheap: some twenty commands, none of which looks at jobs. */
  figures(): Promise<SystemFigures>;
  /** With the error codes of the newest failed jobs. */
  status(): Promise<SystemStatus>;
  close(): Promise<void>;
}

export function createStatusReader({ workers, ...options }: StatusReaderOptions): StatusReader {
  const { connection } = options;
  const queues = openPoolQueues(options);
  const system = async <Q extends QueueFigures>(look: (queue: Queue) => Promise<Q>): Promise<Omit<SystemStatus, 'queues'> & { queues: readonly Q[] }> =>
    redisCall(async () => {
      const [all, alive, ledger, health] = await Promise.all([
        Promise.all(queues.map((queue) => lookAt(queue, look))),
        workersOf(workers, connection),
        ledgerStatus(connection),
        redisHealth(connection),
      ]);
      const { version, maxmemoryPolicy: policy, appendOnly, appendOnlyOk, usedBytes, limitBytes } = health;
      return { queues: all.flat(), workers: alive, ledger, redis: { version, policy, appendOnly, appendOnlyOk, usedBytes, limitBytes } };
    });
  return {
    figures: () => system((queue) => queueFigures(queue, connection)),
    status: () =>
      system(async (queue) => {
        const [figures, failures] = await Promise.all([queueFigures(queue, connection), failuresOf(queue, connection)]);
        return { ...figures, ...failures };
      }),
    close: () => closePoolQueues(queues),
  };
}

/** One figure of a queue from those of its shards. */
async function lookAt<Q extends QueueFigures>({ shards }: PoolQueue, look: (queue: Queue) => Promise<Q>): Promise<Q[]> {
  const [first, ...others] = await Promise.all(shards.map(look));
  return first === undefined ? [] : [joinFigures([first, ...others])];
}

/** What is known of each queue without looking at its jobs. Rejects with WritError REDIS_UNAVAILABLE. */
export function poolFigures(queues: readonly PoolQueue[], connection: RedisConnection): Promise<readonly QueueFigures[]> {
  return redisCall(async () => (await Promise.all(queues.map((queue) => lookAt(queue, (shard) => queueFigures(shard, connection))))).flat());
}

async function queueFigures(queue: Queue, connection: RedisConnection): Promise<QueueFigures> {
  const [counts, paused, workers, oldestWaitingMs] = await Promise.all([
    queue.getJobCounts(),
    queue.isPaused(),
    queue.getWorkersCount(),
    oldestWaiting(queue, connection),
  ]);
  const count = (...states: string[]): number => states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  return {
    queue: queue.name,
    waiting: count('waiting', 'paused', 'prioritized'),
    active: count('active'),
    delayed: count('delayed'),
    completed: count('completed'),
    failed: count('failed'),
    paused,
    oldestWaitingMs,
    workers,
  };
}

/** Jobs are read field by field: data that a raw producer broke must not break the status. */
async function oldestWaiting(queue: Queue, connection: RedisConnection): Promise<number | undefined> {
  const ids = await Promise.all(['wait', 'paused'].map((list) => connection.lindex(queue.toKey(list), -1)));
  const added = await Promise.all(ids.map((id) => (id === null ? null : connection.hget(queue.toKey(id), 'timestamp'))));
  const times = added
    .filter((time) => time !== null)
    .map(Number)
    .filter(Number.isFinite);
  return times.length === 0 ? undefined : Math.max(0, Date.now() - Math.min(...times));
}

async function failuresOf(queue: Queue, connection: RedisConnection): Promise<Pick<QueueStatus, 'failures' | 'failuresSampled'>> {
  const ids = await connection.zrevrange(queue.toKey('failed'), 0, SAMPLE - 1);
  const lengths = connection.pipeline();
  for (const id of ids) lengths.hstrlen(queue.toKey(id), 'failedReason');
  const isShort = ((await lengths.exec()) ?? []).map(([, length]) => typeof length === 'number' && length <= MAX_FIELD_CHARS);
  const lookups = connection.pipeline();
  // A reason that is too long is asked for under a name that no job has.
  for (const [at, id] of ids.entries()) lookups.hget(queue.toKey(id), isShort[at] === true ? 'failedReason' : '');
  const failures: Record<string, number> = {};
  for (const [, reason] of (await lookups.exec()) ?? []) {
    const code = /^([A-Z][A-Z_]{2,40}):/.exec(String(reason))?.[1] ?? 'OTHER';
    failures[code] = (failures[code] ?? 0) + 1;
  }
  return { failures, failuresSampled: ids.length };
}

async function workersOf(directory: string, connection: RedisConnection): Promise<SystemStatus['workers']> {
  const instances = namesIn(directory).flatMap((name) => /^(.+)\.lock$/.exec(name)?.[1] ?? []);
  const presence = createRedisPresence(connection);
  return Promise.all(instances.map(async (instance) => ({ instance, alive: await presence.isAlive(instance) })));
}

/** How much of the ledger's generation markers is there. */
export async function ledgerStatus(connection: RedisConnection): Promise<SystemStatus['ledger']> {
  const answers = await replies(
    connection,
    ALL_TAGS.map((tag) => ['get', generationKey(tag)]),
  );
  const values = answers.filter((value): value is string => typeof value === 'string');
  return { markers: values.length, expected: ALL_TAGS.length, generation: values[0] };
}

/** None where there is no such directory; throws WritError STORAGE_UNAVAILABLE where this account may not look. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (saysAbsent(error)) return [];
    throw unreadable(directory, error);
  }
}
