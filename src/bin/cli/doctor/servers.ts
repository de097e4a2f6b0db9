import type { Config } from '../../../../config/schema.ts';
import { type RedisHealth, redisHealth } from '../../../adapters/redis/policy.ts';
import { isWritError, messageOf } from '../../../core/errors.ts';
import type { Check } from '../../../core/ports/diagnosis.ts';
import { bytes } from '../../../surfaces/cli/text/values.ts';
import type { CliRedis } from '../redis.ts';
import { broken, examine, type Finding, warning, well } from './finding.ts';
import { versionOf } from './program-version.ts';

const START = 'run `npx writ up`';

/** Redis and the kernel, as they answer now. */
export async function examineServers(config: Config, redis: CliRedis, reachKernel: () => Promise<void>): Promise<Check[]> {
  const health = await healthOf(redis);
  return examine('Servers', [
    { title: 'redis-server', look: () => program(config), todo: 'install Redis 7 or newer' },
    { title: 'Redis', look: () => reachable(health), todo: START },
    ...(health.ok
      ? [
          { title: 'Redis policy', look: () => policy(health.value), todo: '' },
          { title: 'Redis persistence', look: () => persistence(health.value), todo: '' },
          { title: 'Redis memory', look: () => fill(health.value, config.redis.high_water), todo: '' },
        ]
      : []),
    { title: 'kernel', look: () => kernel(reachKernel), todo: START },
  ]);
}

type Health = { readonly ok: true; readonly value: RedisHealth } | { readonly ok: false; readonly message: string };

async function healthOf(redis: CliRedis): Promise<Health> {
  try {
    return { ok: true, value: await redisHealth(await redis.connection('producer')) };
  } catch (error) {
    return { ok: false, message: messageOf(error) };
  }
}

async function program({ redis }: Config): Promise<Finding> {
  const version = await versionOf('redis-server');
  if (redis.url !== '') return well(`not needed, redis.url is set (${version ?? 'not installed'})`);
  if (version === undefined) return broken('not found', 'install Redis 7 (`apt install redis-server`), or set redis.url to a server of yours');
  return Number(version.split('.')[0]) >= 7 ? well(version) : broken(version, 'install Redis 7 or newer');
}

function reachable(health: Health): Finding {
  return health.ok ? well(`answers, version ${health.value.version}`) : broken(health.message, START);
}

function policy({ maxmemoryPolicy }: RedisHealth): Finding {
  return maxmemoryPolicy === 'noeviction'
    ? well(maxmemoryPolicy)
    : broken(`${maxmemoryPolicy}: Redis may throw away queued jobs and ledger rows`, 'set maxmemory-policy noeviction');
}

function persistence({ appendOnly, appendOnlyOk }: RedisHealth): Finding {
  if (!appendOnly) return warning('the append-only file is off: a restart of Redis loses queued jobs', 'set appendonly yes');
  return appendOnlyOk ? well('append-only file') : broken('the last write of the append-only file failed', 'look at the disk of the Redis host');
}

function fill({ usedBytes, limitBytes }: RedisHealth, highWater: number): Finding {
  if (limitBytes === 0) return well(`${bytes(usedBytes)} used, no limit`);
  const found = `${bytes(usedBytes)} of ${bytes(limitBytes)} used`;
  return usedBytes > limitBytes * highWater ? broken(`${found}: new work is refused`, 'finish or remove jobs, or raise redis.max_memory_mb') : well(found);
}

async function kernel(reach: () => Promise<void>): Promise<Finding> {
  try {
    await reach();
    return well('answers');
  } catch (error) {
    if (!isWritError(error)) throw error;
    return broken(error.message, START);
  }
}
