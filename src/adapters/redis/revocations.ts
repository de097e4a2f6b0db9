import { WritError } from '../../core/errors.ts';
import type { RevocationFeed } from '../../core/ports/index.ts';
import { REVOCATIONS_KEY, REVOKED_CHANNEL } from './keys.ts';
import type { RedisConnection } from './redis-connection.ts';
import { isWrongType, redisCall } from './redis-error.ts';
import { withScripts } from './scripts.ts';

/** Entries per script call. */
const CHUNK = 500;

/** The revocation log as a Redis list that only grows, by one script. */
export function createRedisRevocations(connection: RedisConnection): RevocationFeed {
  const redis = withScripts(connection);
  return {
    head: () => listCall(() => redis.llen(REVOCATIONS_KEY)),
    read: (from) => listCall(() => redis.lrange(REVOCATIONS_KEY, Math.max(1, from) - 1, -1)),
    async publish(entries) {
      for (let at = 0; at < entries.length; at += CHUNK) {
        const chunk = entries.slice(at, at + CHUNK);
        const first = firstOf(chunk);
        const [code, number] = await listCall(() => redis.writPublishRevocations(REVOCATIONS_KEY, REVOKED_CHANNEL, first, ...chunk.map(({ token }) => token)));
        if (code !== 0) throw refusal(code, number, first);
      }
    },
  };
}

/** @throws WritError STORAGE_UNAVAILABLE when somebody has put something else in the place of the log */
function listCall<T>(call: () => Promise<T>): Promise<T> {
  return redisCall(() =>
    call().catch((error: unknown) => {
      if (!isWrongType(error)) throw error;
      throw new WritError('STORAGE_UNAVAILABLE', `the published revocation log is damaged: ${REVOCATIONS_KEY} in Redis is no list`, { cause: error });
    }),
  );
}

/** Codes of `publish-revocations-1.lua` other than 0. */
function refusal(code: number, number: number, first: number): WritError {
  const sentence =
    code === 1 ? `the published revocation log ends at ${number}, entry ${first} cannot follow` : `another revocation stands under number ${number}`;
  return new WritError('WRONG_STATE', sentence);
}

/** Number of the first entry. Throws WritError INVALID_ARGUMENT unless the numbers are consecutive. */
function firstOf(entries: readonly { readonly n: number }[]): number {
  const first = entries[0]?.n ?? 1;
  if (first < 1 || entries.some(({ n }, index) => n !== first + index))
    throw new WritError('INVALID_ARGUMENT', 'revocations must be numbered consecutively from 1');
  return first;
}
