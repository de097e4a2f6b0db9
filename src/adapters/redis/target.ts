import type { RedisOptions } from 'ioredis';
import { WritError } from '../../core/errors.ts';
import { type RedisTlsFiles, tlsOptions } from './tls.ts';

/** Where a Redis server is: the embedded one's socket, or a `redis://`, `rediss://` or `unix://` URL from the configuration. */
export type ServerTarget =
  | { readonly path: string; readonly password: string; readonly cluster?: undefined }
  | { readonly url: string; readonly tls?: RedisTlsFiles; readonly cluster?: undefined };

/** A Redis Cluster, found through one node's URL; `cluster`: further nodes to begin with, host:port. All share user, password and TLS. */
export interface ClusterTarget {
  readonly url: string;
  readonly tls?: RedisTlsFiles;
  readonly cluster: readonly string[];
}

export type RedisTarget = ServerTarget | ClusterTarget;

/** ioredis' options, but for RESP3's shapes of replies: all of ours are those of RESP2. */
export type RedisSettings = Omit<RedisOptions, 'replyMapping'>;

/** RESP3 begins with HELLO, which the documented ACLs do not grant, and gives us nothing: replies keep RESP2's shapes. */
const PROTOCOL = 2;

/** The target as ioredis options. Throws WritError INVALID_CONFIG for a URL that names no Redis server, and for files of TLS that cannot be used. */
export function targetOptions(target: RedisTarget): RedisSettings {
  if ('path' in target) return { protocol: PROTOCOL, path: target.path, password: target.password };
  const url = URL.canParse(target.url) ? new URL(target.url) : undefined;
  const transport = url && TRANSPORTS[url.protocol];
  if (!url || !transport) throw new WritError('INVALID_CONFIG', 'must be a redis://, rediss:// or unix:// URL', { field: 'redis.url' });
  return { protocol: PROTOCOL, ...transport(url, target.tls ?? {}), ...credentials(url) };
}

/** The nodes to begin with, and what is the same for the connection to each of them. */
export function clusterOptions(target: ClusterTarget): { readonly nodes: readonly { host: string; port: number }[]; readonly options: RedisSettings } {
  const { host = '127.0.0.1', port = 6379, db: _onlyOne, path: _none, ...options } = targetOptions(target);
  const others = target.cluster.map((node) => ({
    host: node.slice(0, node.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1'),
    port: Number(node.slice(node.lastIndexOf(':') + 1)),
  }));
  return { nodes: [{ host, port }, ...others], options };
}

const TRANSPORTS: Readonly<Record<string, (url: URL, tls: RedisTlsFiles) => RedisSettings>> = {
  'redis:': tcp,
  'rediss:': (url, tls) => ({ ...tcp(url), tls: tlsOptions(tls) }),
  'unix:': (url) => ({ path: decodeURIComponent(url.pathname), db: database(url.searchParams.get('db') ?? '') }),
};

function tcp(url: URL): RedisSettings {
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1', port: Number(url.port || 6379), db: database(url.pathname.slice(1)) };
}

function credentials(url: URL): RedisSettings {
  return {
    ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
  };
}

function database(text: string): number {
  if (!/^\d{0,4}$/.test(text)) throw new WritError('INVALID_CONFIG', 'the database must be a number', { field: 'redis.url' });
  return Number(text);
}
