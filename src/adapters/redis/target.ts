import type { RedisOptions } from 'ioredis';
import { WritError } from '../../core/errors.ts';

/** Where a Redis server is: the embedded one's socket, or a `redis://`, `rediss://` or `unix://` URL from the configuration. */
export type RedisTarget = { readonly path: string; readonly password: string } | { readonly url: string };

/** The target as ioredis options. Throws WritError INVALID_CONFIG for a URL that names no Redis server. */
export function targetOptions(target: RedisTarget): RedisOptions {
  if ('path' in target) return { path: target.path, password: target.password };
  const url = URL.canParse(target.url) ? new URL(target.url) : undefined;
  const transport = url && TRANSPORTS[url.protocol];
  if (!url || !transport) throw new WritError('INVALID_CONFIG', 'must be a redis://, rediss:// or unix:// URL', { field: 'redis.url' });
  return { ...transport(url), ...credentials(url) };
}

const TRANSPORTS: Readonly<Record<string, (url: URL) => RedisOptions>> = {
  'redis:': tcp,
  'rediss:': (url) => ({ ...tcp(url), tls: {} }),
  'unix:': (url) => ({ path: decodeURIComponent(url.pathname), db: database(url.searchParams.get('db') ?? '') }),
};

function tcp(url: URL): RedisOptions {
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1', port: Number(url.port || 6379), db: database(url.pathname.slice(1)) };
}

function credentials(url: URL): RedisOptions {
  return {
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
  };
}

function database(text: string): number {
  if (!/^\d{0,4}$/.test(text)) throw new WritError('INVALID_CONFIG', 'the database must be a number', { field: 'redis.url' });
  return Number(text);
}
