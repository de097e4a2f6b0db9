import { type ErrorCode, WritError } from '../../core/errors.ts';
import { tlsFault } from './tls-fault.ts';

/** Replies of a server that have a meaning of their own, by their first word. */
const REPLIES: Readonly<Record<string, { code: ErrorCode; says: string; field?: string }>> = {
  OOM: { code: 'REDIS_FULL', says: 'Redis has no memory left' },
  WRONGTYPE: { code: 'INTERNAL', says: 'a key of ours holds something else' },
  ERR: { code: 'INTERNAL', says: 'Redis refused a command' },
  // A client that knows of the cluster follows it.
  MOVED: { code: 'REDIS_UNAVAILABLE', field: 'redis.cluster', says: 'Redis answers as a node of a Redis Cluster: set redis.cluster = true (`writ doctor`)' },
};

/** Errors of ioredis and BullMQ when the connection is gone; they have no code. */
const CONNECTION_ERRORS: ReadonlySet<string> = new Set(['MaxRetriesPerRequestError', 'AbortError', 'ConnectionClosedError']);
const CONNECTION_MESSAGES = /^(Connection is closed|Stream isn't writeable|Command timed out|connect ETIMEDOUT|Socket (closed|timeout))/;
/** The same of a cluster of which nobody answers, or nobody knows who has the slot. */
const CLUSTER_MESSAGES = /^(Cluster isn't ready|None of startup nodes is available|Failed to refresh slots cache|Too many Cluster redirections)/;

/**
 * What a Redis client throws, as one of our coded errors: REDIS_FULL when the server has no memory left, INTERNAL when it
 * refuses a command of ours as wrong, REDIS_TLS when the two sides cannot trust each other, REDIS_UNAVAILABLE when it cannot
 * be reached or will not serve. Anything else is no matter of Redis and stays what it is.
 */
export function toWritError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof WritError) return error;
  if (error.name === 'ReplyError') {
    const known = REPLIES[error.message.split(' ', 1)[0] ?? ''];
    const about = known?.field === undefined ? {} : { field: known.field };
    return new WritError(known?.code ?? 'REDIS_UNAVAILABLE', `${known?.says ?? 'Redis does not serve'}: ${error.message}`, { ...about, cause: error });
  }
  const distrust = tlsFault(error);
  if (distrust !== undefined) return distrust;
  if (!isConnectionError(error)) return error;
  return new WritError('REDIS_UNAVAILABLE', `Redis cannot be reached: ${error.message}`, { cause: error });
}

/** Whether Redis, or a script of ours, found something of another type under a key. */
export function isWrongType(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && error.message.startsWith('WRONGTYPE');
}

/** Whether the user of this connection may not do that. */
export function isForbidden(error: unknown): boolean {
  const reply = error instanceof WritError ? error.cause : error;
  return reply instanceof Error && reply.name === 'ReplyError' && reply.message.startsWith('NOPERM');
}

/** Whether Redis, or a script, was refused for want of memory. */
export function isFull(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && error.message.startsWith('OOM');
}

/** A key of ours that somebody has overwritten with something of another type is as good as none. */
export async function orNothing<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (isWrongType(error)) return undefined;
    throw error;
  }
}

function isConnectionError(error: Error): boolean {
  return (
    CONNECTION_ERRORS.has(error.name) ||
    CONNECTION_MESSAGES.test(error.message) ||
    CLUSTER_MESSAGES.test(error.message) ||
    ('syscall' in error && 'errno' in error)
  );
}

/** Runs a Redis call; its errors come out as WritErrors. */
export async function redisCall<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toWritError(error);
  }
}
