import { WritError } from '../../core/errors.ts';
import type { MemoryGuard } from '../../core/ports/index.ts';
import { type RedisHealth, redisHealth } from './policy.ts';
import { masters, type RedisConnection } from './redis-connection.ts';

export interface MemoryLimits {
  /** Part of the limit above which new work is refused, 0 to 1. */
  readonly highWater: number;
  /** Limit to use when the server has none of its own; 0: none. */
  readonly limitBytes: number;
  /** Jobs that wait or run, each of which will leave an end; none are counted unless given. */
  readonly waiting?: () => Promise<number>;
}

/**
 * What a job still needs until its end: its row with the signed result, its place among the jobs that failed, what its failure says,
 * its events. Measured: 0.4 to 1.9 KiB for files. Larger ends, of searches and tools, have the room above the high-water mark (D487).
 */
export const BYTES_OF_AN_END = 3 * 1024;

/** How full the fullest server is, and what will end there. */
export interface Fill extends Pick<RedisHealth, 'usedBytes' | 'limitBytes'> {
  readonly waiting: number;
}

/** How long a look is believed, milliseconds. */
const LOOK_MS = 1000;

/** One look a second at most, shared by all callers; what this process has added since counts as well. */
export function createMemoryGuard(redis: RedisConnection, limits: MemoryLimits, clock: { monotonic(): number }, maxAgeMs = LOOK_MS): MemoryGuard {
  let asked: { at: number; fill: Promise<Fill> } | undefined;
  let since = { jobs: 0, bytes: 0 };
  return {
    async check() {
      const now = clock.monotonic();
      if (!asked || now - asked.at >= maxAgeMs) {
        const fill = fillOf(redis, limits);
        asked = { at: now, fill };
        since = { jobs: 0, bytes: 0 };
        fill.catch(() => {
          asked = undefined;
        });
      }
      const { usedBytes, waiting, limitBytes } = await asked.fill;
      const full = fullness({ usedBytes: usedBytes + since.bytes, waiting: waiting + since.jobs, limitBytes }, limits);
      if (full !== undefined) throw new WritError('REDIS_FULL', full);
    },
    added(jobs, bytes) {
      since = { jobs: since.jobs + jobs, bytes: since.bytes + bytes };
    },
  };
}

/** Of a cluster: the fullest master, and its share of what waits. */
export async function fillOf(redis: RedisConnection, { waiting }: Pick<MemoryLimits, 'waiting'>): Promise<Fill> {
  const [{ usedBytes, limitBytes }, all] = await Promise.all([redisHealth(redis), waiting?.() ?? 0]);
  return { usedBytes, limitBytes, waiting: Math.ceil(all / Math.max(1, masters(redis).length)) };
}

/** A sentence when there is no room for more: what is used, and the ends of what waits, lie above the mark. */
export function fullness({ usedBytes, limitBytes, waiting }: Fill, limits: Pick<MemoryLimits, 'highWater' | 'limitBytes'>): string | undefined {
  const limit = limitBytes || limits.limitBytes;
  const ends = waiting * BYTES_OF_AN_END;
  if (limit === 0 || usedBytes + ends <= limit * limits.highWater) return undefined;
  const kept = ends === 0 ? '' : `, and ${mebibytes(ends)} MiB are kept for the ends of ${waiting} jobs that wait`;
  return `Redis uses ${mebibytes(usedBytes)} of ${mebibytes(limit)} MiB${kept}: together above ${Math.round(limits.highWater * 100)} %, so no new work until jobs are finished or memory is added`;
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
