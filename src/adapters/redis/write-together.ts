import { Redis } from 'ioredis';
import type { RedisConnection } from './redis-connection.ts';

/**
 * Returns a function to call before each command: the commands of one tick then leave in one write. Concurrent jobs
 * resume together when a reply arrives, so their next calls share a system call on both sides. Measured against
 * ioredis' own auto-pipelining, which costs more bookkeeping and a turn of the event loop (see docs/decisions/queues.md, D12). The
 * connections of a cluster are ioredis' own affair: nothing is held back there.
 */
export function writeTogether(redis: RedisConnection): () => void {
  let holding = false;
  return () => {
    if (holding || !(redis instanceof Redis) || redis.status !== 'ready') return;
    const { stream } = redis;
    holding = true;
    stream.cork();
    process.nextTick(() => {
      holding = false;
      stream.uncork();
    });
  };
}
