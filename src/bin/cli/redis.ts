import type { EventEmitter } from 'node:events';
import { type ConnectionKind, createConnection } from '../../../queues/connection.ts';
import type { RedisConnection } from '../../adapters/redis/redis-connection.ts';
import { isWritError, messageOf, WritError } from '../../core/errors.ts';
import { redisTarget } from '../redis-target.ts';
import type { CliSettings } from './settings.ts';

/** A command does not wait for Redis to come back. */
const CONNECT_MS = 3_000;

/** The Redis connections of one command; opened when asked for. */
export interface CliRedis extends AsyncDisposable {
  connection(kind: Extract<ConnectionKind, 'producer' | 'subscriber'>): Promise<RedisConnection>;
}

export function createCliRedis(settings: CliSettings): CliRedis {
  const open = new Map<string, Promise<RedisConnection>>();
  const all: RedisConnection[] = [];
  const connect = async (kind: 'producer' | 'subscriber'): Promise<RedisConnection> => {
    const redis = connecting(kind, settings);
    all.push(redis.connection);
    await redis.ready;
    return redis.connection;
  };
  return {
    connection(kind) {
      const known = open.get(kind) ?? connect(kind);
      open.set(kind, known);
      return known;
    },
    async [Symbol.asyncDispose]() {
      for (const connection of all) connection.disconnect();
    },
  };
}

function connecting(kind: 'producer' | 'subscriber', settings: CliSettings): { connection: RedisConnection; ready: Promise<void> } {
  let refuse: (error: unknown) => void = () => undefined;
  const connection = createConnection(target(settings), kind, (error) => refuse(error));
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => refuse(new Error(`no answer within ${CONNECT_MS} ms`)), CONNECT_MS);
    refuse = (error) => {
      clearTimeout(timer);
      connection.disconnect();
      reject(silent(settings, error));
    };
    const events: EventEmitter = connection;
    events.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  return { connection, ready };
}

function target(settings: CliSettings): ReturnType<typeof redisTarget> {
  try {
    return redisTarget(settings.loaded.config, settings.places);
  } catch (error) {
    throw isWritError(error) && error.code === 'REDIS_UNAVAILABLE' ? silent(settings, error) : error;
  }
}

/** The likeliest mistake of all gets the sentence that ends it. */
function silent({ loaded, places }: CliSettings, cause: unknown): WritError {
  if (isWritError(cause) && cause.code === 'REDIS_TLS') return cause;
  const { url } = loaded.config.redis;
  const message =
    url === ''
      ? `Redis of the data directory ${places.dataDir} does not answer: start it with \`npx writ up\``
      : `Redis at ${url.replace(/\/\/[^@/]*@/, '//***@')} does not answer (${messageOf(cause)}): look at the server and at redis.url (\`npx writ doctor\`)`;
  return new WritError('REDIS_UNAVAILABLE', message, { cause });
}
