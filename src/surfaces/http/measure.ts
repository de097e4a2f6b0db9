import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../core/clock.ts';
import type { HttpMeter } from '../../observability/http-requests.ts';
import type { KnownPath } from './known-paths.ts';

export interface Measured {
  readonly meter: HttpMeter;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Paths of the table, which are told apart; what belongs to a plugin is told by its first part. */
  readonly paths: readonly KnownPath[];
  /** The path to which an address leads, where its method has no route. */
  readonly pathOf: (url: string) => KnownPath | undefined;
  /** Event streams that are open. */
  readonly streams: () => number;
}

/** Counts connections and requests; to be set up before every other hook, so that refused requests are counted too. */
export function measure(app: FastifyInstance, { meter, clock, paths, pathOf, streams }: Measured): void {
  const known = new Set(paths.map(({ path }) => path));
  const templateOf = ({ is404, url, routeOptions }: FastifyRequest): string => {
    const template = is404 ? pathOf(url)?.path : routeOptions.url;
    if (template === undefined) return 'none';
    return known.has(template) ? template : `/${template.split('/')[1]}/*`;
  };
  let connections = 0;
  app.server.on('connection', (socket) => {
    connections += 1;
    socket.once('close', () => {
      connections -= 1;
    });
  });
  meter.follow({ connections: () => connections, streams });
  app.addHook('onRequest', async (request, { raw }) => {
    const began = clock.monotonic();
    raw.once('close', () => {
      const status = raw.headersSent ? raw.statusCode : undefined;
      meter.ended({ route: templateOf(request), method: request.method, status, seconds: (clock.monotonic() - began) / 1000 });
    });
  });
}
