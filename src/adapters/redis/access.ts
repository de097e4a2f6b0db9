import { once } from 'node:events';
import { connect } from 'node:tls';
import { Redis } from 'ioredis';
import { isWritError, WritError } from '../../core/errors.ts';
import { type ClusterTarget, clusterOptions, type RedisSettings, type RedisTarget, targetOptions } from './target.ts';
import { tlsFault } from './tls-fault.ts';
import { isNotLetIn, unreachable } from './unreachable.ts';

const PATIENCE_MS = 3000;
/** A server that refuses our certificate says so at once. */
const WORD_MS = 1000;

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
  const fault = await faultIn(target.url, await ask(options), options);
  if (fault !== undefined) throw fault;
}

/** Asks a server, or the nodes of a cluster, once: why none can be used; nothing when one answers. */
export async function whyAway(target: RedisTarget): Promise<WritError | undefined> {
  if (!('url' in target)) return undefined;
  const nodes = target.cluster === undefined ? [targetOptions(target)] : clusterNodes(target);
  const said = await Promise.all(nodes.map(ask));
  const [first = [], options = {}] = [said[0], nodes[0]];
  if (said.some((errors) => errors.length === 0)) return undefined;
  return (await faultIn(target.url, first, options)) ?? unreachable(target.url, first[0], target.cluster !== undefined);
}

function clusterNodes(target: ClusterTarget): readonly RedisSettings[] {
  const { nodes, options } = clusterOptions(target);
  return nodes.map((node) => ({ ...options, ...node }));
}

/** What no waiting mends, of the errors of a connection. */
async function faultIn(url: string, said: readonly unknown[], options: RedisSettings): Promise<WritError | undefined> {
  const fault = said.map((error) => faultOf(url, error)).find((found) => found !== undefined);
  return fault ?? (said.length === 0 ? undefined : faultOf(url, await lastWord(options)));
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

function faultOf(url: string, error: unknown): WritError | undefined {
  if (isWritError(error)) return error;
  return isNotLetIn(error) ? unreachable(url, error) : tlsFault(error);
}
