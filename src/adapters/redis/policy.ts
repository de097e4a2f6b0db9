import { randomUUID } from 'node:crypto';
import { BOUNDS } from '../../contracts/index.ts';
import { messageOf, WritError } from '../../core/errors.ts';
import { PROBE_KEY } from './keys.ts';
import { allServers, type RedisConnection } from './redis-connection.ts';
import { redisCall } from './redis-error.ts';

/** What INFO is asked for. */
const SECTIONS = 'default';

/** What a server says about itself, from INFO: it is answered where CONFIG is closed (managed services). */
export interface RedisHealth {
  readonly version: string;
  readonly maxmemoryPolicy: string;
  readonly usedBytes: number;
  /** 0: no limit. */
  readonly limitBytes: number;
  readonly appendOnly: boolean;
  /** The last write of the append-only file went well (or there is none). */
  readonly appendOnlyOk: boolean;
}

/**
 * The largest value that a server of Writ's takes from a client (`proto-max-bulk-len`), bytes: twice what any part of Writ
 * sends, a batch of messages of 8 MiB. Redis itself would take 512 MiB, and each job of that size has to be fetched to be refused.
 */
export const MAX_VALUE_BYTES = BOUNDS.redisValue;

/**
 * Whether the server refuses values above `MAX_VALUE_BYTES` where they enter; `undefined` when it does not say. GETBIT has the
 * same limit as values, answers where CONFIG is closed, and reads nothing. Of a cluster the server that has the probe's slot is
 * asked. Throws WritError REDIS_UNAVAILABLE.
 */
export async function boundsValues(redis: RedisConnection): Promise<boolean | undefined> {
  try {
    await redisCall(() => redis.getbit(`${PROBE_KEY}:bound`, MAX_VALUE_BYTES * 8));
    return false;
  } catch (error) {
    if (messageOf(error).includes('bit offset')) return true;
    if (messageOf(error).includes('NOPERM')) return undefined;
    throw error;
  }
}

/**
 * Reads the health of a server; of a cluster the worst of its servers: the fullest master, and whatever is set wrongly
 * anywhere, because each replica may be a master tomorrow. Servers that do not answer are left out while one does.
 * Throws WritError REDIS_UNAVAILABLE.
 */
export async function redisHealth(redis: RedisConnection): Promise<RedisHealth> {
  // A cluster that knows no server yet connects at the first command.
  if (allServers(redis).length === 0) await redisCall(() => redis.info(SECTIONS));
  const found = await Promise.allSettled(allServers(redis).map((server) => redisCall(() => server.info(SECTIONS))));
  const infos = found.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const [first, ...others] = infos.map(healthOf);
  const failure = found.find((one) => one.status === 'rejected');
  if (first === undefined) throw failure?.reason ?? new WritError('REDIS_UNAVAILABLE', 'the cluster names no server');
  return others.reduce(worse, first);
}

function worse(a: RedisHealth, b: RedisHealth): RedisHealth {
  const fill = ({ usedBytes, limitBytes }: RedisHealth): number => (limitBytes === 0 ? 0 : usedBytes / limitBytes);
  const { usedBytes, limitBytes } = fill(b) > fill(a) || (fill(a) === 0 && b.usedBytes > a.usedBytes) ? b : a;
  return {
    version: a.version,
    maxmemoryPolicy: a.maxmemoryPolicy === 'noeviction' ? b.maxmemoryPolicy : a.maxmemoryPolicy,
    usedBytes,
    limitBytes,
    appendOnly: a.appendOnly && b.appendOnly,
    appendOnlyOk: a.appendOnlyOk && b.appendOnlyOk,
  };
}

function healthOf(info: string): RedisHealth {
  const field = (name: string): string => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim() ?? '';
  return {
    version: field('redis_version'),
    maxmemoryPolicy: field('maxmemory_policy'),
    usedBytes: Number(field('used_memory')),
    limitBytes: Number(field('maxmemory')),
    appendOnly: field('aof_enabled') === '1',
    appendOnlyOk: field('aof_last_write_status') !== 'err',
  };
}

/** What is wrong with a server that bounds no values. */
export const UNBOUNDED = `it takes values of more than ${MAX_VALUE_BYTES / 1024 / 1024} MiB, so one raw producer can hold up every worker that fetches its jobs`;

/**
 * Whether Writ may run on this server.
 *
 * @returns warnings, sentences for a person
 * @throws WritError REDIS_POLICY when the server may evict keys: a queue or a ledger row that is gone breaks the promises
 */
export async function checkRedisPolicy(redis: RedisConnection): Promise<readonly string[]> {
  const [health, isBounded] = await Promise.all([redisHealth(redis), boundsValues(redis)]);
  if (health.maxmemoryPolicy !== 'noeviction') {
    throw new WritError(
      'REDIS_POLICY',
      `maxmemory-policy is '${health.maxmemoryPolicy}', so Redis may throw away queued jobs and ledger rows. Set 'maxmemory-policy noeviction' and start again.`,
    );
  }
  return [
    ...(health.appendOnly ? [] : ['Redis persistence: the append-only file is off, so a restart of Redis loses queued jobs. Set appendonly yes.']),
    ...(health.appendOnlyOk ? [] : ['Redis persistence: the last write of the append-only file failed; look at the disk of the Redis host.']),
    ...(isBounded === false ? [`Redis values: ${UNBOUNDED}. Set proto-max-bulk-len ${MAX_VALUE_BYTES}.`] : []),
  ];
}

/** A real write, for readiness. Throws WritError REDIS_FULL or REDIS_UNAVAILABLE (also for a read-only replica). */
export async function probeWrite(redis: RedisConnection): Promise<void> {
  const token = randomUUID();
  const key = `${PROBE_KEY}:${token}`;
  const read = await redisCall(async () => {
    await redis.set(key, token, 'PX', 10_000);
    const value = await redis.get(key);
    await redis.del(key);
    return value;
  });
  if (read !== token) throw new WritError('REDIS_UNAVAILABLE', 'Redis does not give back what was written');
}
