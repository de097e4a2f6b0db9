import { isWritError, messageOf, WritError } from '../../core/errors.ts';

/**
 * What a Redis client throws, as one of our coded errors: REDIS_FULL when the server has no memory left, INTERNAL when it
 * refuses a command of ours as wrong (a key of another type, a bug), REDIS_UNAVAILABLE for everything else.
 */
export function toWritError(error: unknown): WritError {
  if (isWritError(error)) return error;
  const message = messageOf(error);
  const known = REPLIES.find(({ begins }) => message.startsWith(begins));
  if (known) return new WritError(known.code, `${known.says}: ${message}`, { cause: error });
  return new WritError('REDIS_UNAVAILABLE', `Redis does not answer: ${message}`, { cause: error });
}

const REPLIES = [
  { begins: 'OOM', code: 'REDIS_FULL', says: 'Redis has no memory left' },
  { begins: 'WRONGTYPE', code: 'INTERNAL', says: 'a key of ours holds something else' },
  { begins: 'ERR', code: 'INTERNAL', says: 'Redis refused a command' },
] as const;

/** Runs a Redis call; its errors come out as WritErrors. */
export async function redisCall<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toWritError(error);
  }
}
