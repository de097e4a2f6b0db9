import { messageOf } from '../../core/errors.ts';
import { broken, type Finding, type Probe, passed, warning } from '../../core/findings.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import { bytes } from '../../core/units.ts';
import { versionOf } from '../processes/program-version.ts';
import { fillOf, fullness, type MemoryLimits } from './memory-guard.ts';
import { boundsValues, MAX_VALUE_BYTES, type RedisHealth, redisHealth, UNBOUNDED } from './policy.ts';
import type { RedisConnection } from './redis-connection.ts';
import { isForbidden } from './redis-error.ts';

export interface RedisQuestions {
  /** `redis.url`; empty: `writ up` starts a server of its own. */
  readonly url: string;
  /** When new work is refused. */
  limits(redis: RedisConnection): MemoryLimits;
  /** What to do when the server does not answer. */
  readonly start: string;
  connect(): Promise<RedisConnection>;
}

/** Redis as it answers now, and the program that would serve it. */
export async function redisProbes({ url, limits, start, connect }: RedisQuestions): Promise<readonly Probe[]> {
  const health = await healthOf(connect);
  return [
    { title: 'redis-server', look: () => program(url), todo: 'install Redis 7 or newer' },
    { title: 'Redis', look: () => (health.ok ? passed(`answers, version ${health.value.version}`) : broken(health.error, start)), todo: start },
    ...(health.ok
      ? [
          { title: 'Redis policy', look: () => policy(health.value), todo: '' },
          { title: 'Redis persistence', look: () => persistence(health.value), todo: '' },
          { title: 'Redis values', look: async () => bound(await boundsValues(await connect())), todo: '' },
          ...asUser([{ title: 'Redis memory', look: async () => fill(health.value, await connect(), limits), todo: '' }]),
        ]
      : []),
  ];
}

/** Probes that a user of one role (deploy/redis/users.conf) may not make say so: that is no fault of the installation. */
export function asUser(probes: readonly Probe[]): readonly Probe[] {
  return probes.map((probe) => ({
    ...probe,
    look: async () => {
      try {
        return await probe.look();
      } catch (error) {
        if (!isForbidden(error)) throw error;
        return warning('the user of redis.url may not look', 'ask with the redis.url of the API, whose user may');
      }
    },
  }));
}

async function healthOf(connect: RedisQuestions['connect']): Promise<Result<RedisHealth, string>> {
  try {
    return ok(await redisHealth(await connect()));
  } catch (error) {
    return failed(messageOf(error));
  }
}

async function program(url: string): Promise<Finding> {
  const version = await versionOf('redis-server');
  if (url !== '') return passed(`not needed, redis.url is set (${version ?? 'not installed'})`);
  if (version === undefined) return broken('not found', 'install Redis 7 (`apt install redis-server`), or set redis.url to a server of yours');
  return Number(version.split('.')[0]) >= 7 ? passed(version) : broken(version, 'install Redis 7 or newer');
}

function policy({ maxmemoryPolicy }: RedisHealth): Finding {
  return maxmemoryPolicy === 'noeviction'
    ? passed(maxmemoryPolicy)
    : broken(`${maxmemoryPolicy}: Redis may throw away queued jobs and ledger rows`, 'set maxmemory-policy noeviction');
}

function persistence({ appendOnly, appendOnlyOk }: RedisHealth): Finding {
  if (!appendOnly) return warning('the append-only file is off: a restart of Redis loses queued jobs', 'set appendonly yes');
  return appendOnlyOk ? passed('append-only file') : broken('the last write of the append-only file failed', 'look at the disk of the Redis host');
}

function bound(isBounded: boolean | undefined): Finding {
  if (isBounded === undefined)
    return warning('this user may not ask for the largest value (GETBIT)', 'see that proto-max-bulk-len is set, or ask with the redis.url of the API');
  return isBounded ? passed(`at most ${bytes(MAX_VALUE_BYTES)} each`) : warning(UNBOUNDED, `set proto-max-bulk-len ${MAX_VALUE_BYTES}`);
}

async function fill({ usedBytes, limitBytes }: RedisHealth, redis: RedisConnection, limitsOf: RedisQuestions['limits']): Promise<Finding> {
  if (limitBytes === 0) return passed(`${bytes(usedBytes)} used, no limit`);
  const limits = limitsOf(redis);
  const found = `${bytes(usedBytes)} of ${bytes(limitBytes)} used`;
  const full = fullness(await fillOf(redis, limits), limits);
  return full === undefined ? passed(found) : broken(full, 'finish or remove jobs, or raise redis.max_memory_mb');
}
