import type { Config } from './schema.ts';

export interface ListenedPort {
  /** The setting that names it. */
  readonly field: string;
  readonly host: string;
  /** 0 opens none, or a free one. */
  readonly port: number;
  /** Works without it, when somebody else has it; two roles of one `writ up` may not ask for it all the same. */
  readonly optional?: boolean;
}

/** The ports that `writ up` opens. Metrics never keep a role from working, but a worker's may not take the API's place. */
export function listenedPorts({ http, redis, metrics }: Config): ListenedPort[] {
  const own = redis.url === '' ? [{ field: 'redis.port', host: '127.0.0.1', port: redis.port }] : [];
  const worker = { field: 'metrics.worker_port', host: '127.0.0.1', port: metrics.worker_port, optional: true };
  return [{ field: 'http.port', host: http.host, port: http.port }, ...own, worker];
}
