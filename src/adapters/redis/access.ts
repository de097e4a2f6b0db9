import { once } from 'node:events';
import { connect } from 'node:tls';
import { Redis } from 'ioredis';
import { isWritError, messageOf, WritError } from '../../core/errors.ts';
import { type RedisSettings, type RedisTarget, targetOptions } from './target.ts';
import { tlsFault } from './tls-fault.ts';

const PATIENCE_MS = 3000;
/** A server that refuses our certificate says so at once. */
const WORD_MS = 1000;
/** What Redis answers to a wrong user or password, and to none. */
const NOT_LET_IN = /^(WRONGPASS|NOAUTH|ERR AUTH|ERR invalid password|NOPERM)\b/;

/**
 * Connects and looks whether both sides trust each other, and whether it is a server of data. A server that is away is no fault here: those who need it
 * wait for it, but a wrong certificate or password does not become right by waiting.
 *
 * @throws WritError REDIS_TLS with what to do, REDIS_UNAVAILABLE for a wrong user or password, REDIS_POLICY for a Sentinel, INVALID_CONFIG for files that cannot be used
 */
export async function checkAccess(target: RedisTarget): Promise<void> {
  // The private server of `writ up` was made by the same hands.
  if (!('url' in target)) return;
  const options = targetOptions(target);
  const said = await ask(options);
  if (said.length === 0) return;
  const fault = said.map(faultOf).find((found) => found !== undefined) ?? faultOf(await lastWord(options));
  if (fault !== undefined) throw fault;
}

const SENTINEL = 'a Redis Sentinel answers there, which holds no data, and Writ does not follow one (docs/scaling.md): name the address of the master';

/** Whoever may not ask is told nothing; then it is found out at the first write. */
function isSentinel(info: string): boolean {
  return /^redis_mode:sentinel\r?$/m.test(info);
}

/** The errors of one connection and its first order; none when it was answered. */
async function ask(options: RedisSettings): Promise<readonly unknown[]> {
  const one = { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0, enableReadyCheck: false } as const;
  const redis = new Redis({ ...options, ...one, connectTimeout: PATIENCE_MS, commandTimeout: PATIENCE_MS });
  const told: unknown[] = [];
  redis.on('error', (error) => void told.push(error));
  try {
    await redis.connect();
    await redis.ping();
    return isSentinel(await redis.info('server').catch(() => '')) ? [new WritError('REDIS_POLICY', SENTINEL, { field: 'redis.url' })] : [];
  } catch (error) {
    return [...told, error];
  } finally {
    redis.disconnect();
  }
}

/**
 * In TLS 1.3 a server judges our certificate after the handshake, and the reset of a connection on which we have sent
 * something overtakes its reason. To one who says nothing it is told.
 */
async function lastWord({ host = '', port = 0, tls }: RedisSettings): Promise<unknown> {
  if (tls === undefined) return undefined;
  const socket = connect({ host, port, ...tls });
  try {
    await once(socket, 'close', { signal: AbortSignal.timeout(WORD_MS) });
    return undefined;
  } catch (error) {
    return error;
  } finally {
    socket.destroy();
  }
}

function faultOf(error: unknown): WritError | undefined {
  if (isWritError(error)) return error;
  if (!NOT_LET_IN.test(messageOf(error))) return tlsFault(error);
  return new WritError('REDIS_UNAVAILABLE', `Redis does not let the user of redis.url in: ${messageOf(error)}`, { field: 'redis.url', cause: error });
}
