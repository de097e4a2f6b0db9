import { WritError } from '../../core/errors.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Resolves when what was written before under these prefixes of keys is on enough replicas. */
export type Replicated = (prefixes: readonly string[]) => Promise<void>;

/**
 * Redis' WAIT on the connection that the writes went over. It narrows the loss at a failover and does not end it: a replica
 * that has no copy may be the one that is promoted (docs/scaling.md). `undefined` when nothing is to be waited for.
 *
 * The answer rejects with WritError REDIS_UNAVAILABLE: the push may stand all the same, and the same push again is right.
 */
export function waitForReplicas(redis: RedisConnection, { replicas, ms }: { readonly replicas: number; readonly ms: number }): Replicated | undefined {
  if (replicas === 0) return undefined;
  return async (prefixes) => {
    await Promise.all(prefixes.map((prefix) => waitAt(redis, prefix, replicas, ms)));
  };
}

/** In a cluster the command that has a key leads WAIT, which has none, to the server that took the writes. */
async function waitAt(redis: RedisConnection, prefix: string, replicas: number, ms: number): Promise<void> {
  const answers =
    (await redis
      .pipeline([
        ['exists', `${prefix}:wait`],
        ['wait', replicas, ms],
      ])
      .exec()) ?? [];
  const failure = answers.find(([error]) => error !== null)?.[0];
  if (failure) throw failure;
  const reached = Number(answers[1]?.[1] ?? 0);
  if (reached >= replicas) return;
  throw new WritError(
    'REDIS_UNAVAILABLE',
    `only ${reached} of ${replicas} replicas had the push within ${ms} ms; it may be queued all the same: push it again`,
  );
}
