import type { Config } from './schema.ts';

/**
 * The ports that `writ up` cannot do without, each with the setting that names it; 0 opens none, or a free one. The worker's
 * port for metrics is none of them: metrics never keep a role from working.
 */
export function listenedPorts({ http, redis }: Config): { readonly field: string; readonly host: string; readonly port: number }[] {
  const own = redis.url === '' ? [{ field: 'redis.port', host: '127.0.0.1', port: redis.port }] : [];
  return [{ field: 'http.port', host: http.host, port: http.port }, ...own];
}
