import { signal } from '../../processes.ts';
import type { Strike } from '../strike.ts';

/** Of Redis; the loss of everything comes last. */
export const REDIS_STRIKES: readonly Strike[] = [
  {
    what: 'Redis is allowed to evict',
    alerts: ['WritRedisPolicy'],
    strike: async ({ redis }) => void (await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')),
    mend: ({ redis }) => redis.config('SET', 'maxmemory-policy', 'noeviction'),
    endsAtOnce: true,
  },
  {
    what: 'Redis has little memory left',
    alerts: ['WritRedisMemory'],
    async strike({ redis }) {
      const used = Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
      await redis.config('SET', 'maxmemory', Math.round(used * 1.15));
      return undefined;
    },
    mend: ({ redis }) => redis.config('SET', 'maxmemory', '1gb'),
    endsAtOnce: true,
  },
  {
    what: 'Redis writes no append-only file any more',
    alerts: ['WritRedisPersistence'],
    strike: async ({ redis }) => void (await redis.config('SET', 'appendonly', 'no')),
    mend: ({ redis }) => redis.config('SET', 'appendonly', 'yes'),
    endsAtOnce: true,
  },
  {
    what: 'Redis stands still',
    alerts: ['WritRedisUnreadable'],
    async strike({ redisPid }) {
      signal(redisPid, 'SIGSTOP');
      return undefined;
    },
    mend: async ({ redisPid }) => signal(redisPid, 'SIGCONT'),
    endsAtOnce: true,
  },
  {
    what: 'Redis loses everything',
    alerts: ['WritLedgerLost'],
    strike: async ({ redis }) => void (await redis.flushall()),
    mend: async () => undefined,
    endsAtOnce: false,
  },
];
