import { Redis } from 'ioredis';
import { messageOf, WritError } from '../../core/errors.ts';
import { type RedisTarget, targetOptions } from './target.ts';
import { tlsFault } from './tls-fault.ts';

const PATIENCE_MS = 3000;
/** A server that refuses our certificate resets the connection, and the reset can overtake the reason. */
const TRIES = 5;
/** What Redis answers to a wrong user or password, and to none. */
const NOT_LET_IN = /^(WRONGPASS|NOAUTH|ERR AUTH|ERR invalid password|NOPERM)\b/;

/**
 * Connects and looks whether both sides trust each other. A server that is away is no fault here: those who need it
 * wait for it, but a wrong certificate or password does not become right by waiting.
 *
 * @throws WritError REDIS_TLS with what to do, REDIS_UNAVAILABLE for a wrong user or password, INVALID_CONFIG for files that cannot be used
 */
export async function checkAccess(target: RedisTarget): Promise<void> {
  // The private server of `writ up` was made by the same hands.
  if (!('url' in target)) return;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const said = await ask(target);
    const fault = said.map(faultOf).find((found) => found !== undefined);
    if (fault !== undefined) throw fault;
    if (!said.some(isReset)) return;
  }
}

/** The errors of one connection and its first order; none when it was answered. */
async function ask(target: RedisTarget): Promise<readonly unknown[]> {
  const once = { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0, enableReadyCheck: false } as const;
  const redis = new Redis({ ...targetOptions(target), ...once, connectTimeout: PATIENCE_MS, commandTimeout: PATIENCE_MS });
  const told: unknown[] = [];
  redis.on('error', (error) => void told.push(error));
  try {
    // In TLS 1.3 a server judges our certificate after the handshake, so only an answer tells.
    await redis.connect();
    await redis.ping();
    return [];
  } catch (error) {
    return [...told, error];
  } finally {
    redis.disconnect();
  }
}

function faultOf(error: unknown): WritError | undefined {
  if (!NOT_LET_IN.test(messageOf(error))) return tlsFault(error);
  return new WritError('REDIS_UNAVAILABLE', `Redis does not let the user of redis.url in: ${messageOf(error)}`, { field: 'redis.url', cause: error });
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}
