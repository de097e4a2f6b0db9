import { randomUUID } from 'node:crypto';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { messageOf, WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { localUrl } from '../../core/local-url.ts';
import { closeUnread, watchArrival } from './arrival.ts';
import { acceptJson, withBodyRules } from './body.ts';
import { createPathFinder, knownPaths } from './known-paths.ts';
import { createListener, isReadable } from './listener.ts';
import { measure } from './measure.ts';
import { withDocument } from './openapi/document.ts';
import type { HttpServerOptions, HttpSettings } from './options.ts';
import { registerDocs } from './pages/docs.ts';
import { registerLogin } from './pages/login.ts';
import { PAGES } from './pages/table.ts';
import { problemOf, sendProblem } from './problem.ts';
import { createRunningCalls, hasHead, type RunningCalls, registerRefusedMethods, registerRows } from './register-rows.ts';
import { addressOf, createAuthenticate } from './security/authenticate.ts';
import { createGate, type Gate } from './security/gate.ts';
import { helmetFor } from './security/headers.ts';
import { createHostRule } from './security/host-origin.ts';
import { limitRates } from './security/limits.ts';
import { createSessions, type SessionStore } from './security/sessions.ts';
import { createHttpTracing, traceIdOf } from './tracing.ts';

export interface HttpServer extends Lifecycle {
  /** `http://127.0.0.1:8377`, with a certificate `https:`, once it listens: where it is found from this host, also when it listens on all addresses. */
  readonly url: () => string;
  readonly app: FastifyInstance;
}

/** Time that running calls get at the end, before their signal is aborted, and again before their connection is cut. */
const DRAIN_MS = 1000;

/**
 * The HTTP surface: the rows of `routes`, the pages around them and the plugins, behind one set of checks. It starts once.
 * `start` throws WritError INVALID_CONFIG when the address cannot be had.
 */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { http, services, apiKeys } = options;
  const app = createListener(http);
  const calls = createRunningCalls();
  const sessions = createSessions({ clock: services.clock, lifeMs: http.sessionMs });
  const hosts = createHostRule({ host: http.host, allowedHosts: http.allowedHosts, port: () => portOf(app) });
  const gate = createGate({ hosts, authenticate: createAuthenticate({ apiKeys, sessions }) });
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  async function open(): Promise<void> {
    await setUp(app, options, { gate, sessions, calls });
    try {
      await app.listen({ host: http.host, port: http.port });
    } catch (error) {
      throw cannotListen(http, error);
    }
  }

  async function close(): Promise<void> {
    await starting?.catch(() => undefined);
    const timers = [setTimeout(() => calls.abortAll(), DRAIN_MS), setTimeout(() => app.server.closeAllConnections(), 2 * DRAIN_MS)];
    await app.close();
    for (const timer of timers) clearTimeout(timer);
  }

  const server: HttpServer = {
    app,
    url: () => localUrl(http.host, portOf(app), http.certificate === undefined ? 'http' : 'https'),
    start: () => (starting ??= open()),
    stop: () => (stopping ??= close()),
    [Symbol.asyncDispose]: () => server.stop(),
  };
  return server;
}

interface Parts {
  readonly gate: Gate;
  readonly sessions: SessionStore;
  readonly calls: RunningCalls;
}

/** Checks first, in the order in which they run; then everything that they protect. */
async function setUp(app: FastifyInstance, options: HttpServerOptions, { gate, sessions, calls }: Parts): Promise<void> {
  const { http, services, routes, meter, tracer, plugins = [] } = options;
  const { rows, document } = withDocument(routes);

  app.decorateRequest('caller', undefined);
  app.decorateRequest('quota', '');
  const paths = knownPaths([...rows.map((row) => ({ method: row.method, path: row.path, head: hasHead(row) })), ...PAGES]);
  const pathOf = createPathFinder(paths);
  if (meter !== undefined) measure(app, { meter, clock: services.clock, paths, pathOf, streams: () => calls.streams });
  acceptJson(app, http.maxBodyBytes);
  answerErrors(app, options);
  await app.register(helmet, helmetFor(http));
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    watchArrival(request, reply, http.requestTimeoutMs);
    try {
      await gate.identify(request);
    } catch (refusal) {
      // Who is refused at the door is counted, too: as whoever it is, or by the address.
      request.quota ||= `address:${addressOf(request)}`;
      await limit.call(app, request, reply);
      throw refusal;
    }
  });
  await limitRates(app, http.rateLimit);
  const limit = app.rateLimit();
  app.addHook('preParsing', async (request, reply, payload) => {
    const known = request.is404 ? pathOf(request.url) : undefined;
    // Counted like every other request; the plugin sees to those that have a route.
    if (known !== undefined) await limit.call(app, request, reply);
    const sent = await gate.authorize(request, reply, known?.allow);
    return sent === undefined ? payload : undefined;
  });
  app.setNotFoundHandler({ preHandler: limit }, ({ originalUrl }) => {
    if (!isReadable(originalUrl)) throw new WritError('INVALID_ARGUMENT', 'the path is percent-encoded wrongly');
    throw new WritError('NOT_FOUND', 'there is no such path');
  });

  registerRows(app, rows, { services, sessions, calls, tracing: createHttpTracing(tracer, meter) });
  registerRefusedMethods(app, paths);
  registerLogin(app, options, sessions);
  await registerDocs(app, document);
  for (const plugin of plugins) app.register((scope) => plugin(scope, gate.guard, sessions));
}

/** Whatever fails, on whatever route, becomes a problem document; what is our fault, or our disk's, is logged whole. */
function answerErrors(app: FastifyInstance, { log, http }: HttpServerOptions): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(withBodyRules(error, request, http.maxBodyBytes), () => `urn:uuid:${randomUUID()}`);
    if (problem.instance !== undefined || problem.code === 'STORAGE_UNAVAILABLE')
      log?.error(
        { err: error, traceId: traceIdOf(request), instance: problem.instance, method: request.method, route: request.routeOptions.url },
        'request failed',
      );
    closeUnread(request, reply);
    return sendProblem(reply, problem);
  });
}

/** What a person must change when an address cannot be had. */
const OBSTACLES: Readonly<Record<string, { readonly field: string; readonly why: string }>> = {
  EADDRINUSE: { field: 'http.port', why: 'another program listens there; end it, or set another port' },
  EACCES: { field: 'http.port', why: 'this user may not open it; take a port from 1024 on' },
  EADDRNOTAVAIL: { field: 'http.host', why: 'this host has no such address' },
  ENOTFOUND: { field: 'http.host', why: 'there is no such name' },
};

function cannotListen({ host, port }: HttpSettings, cause: unknown): WritError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const { field, why } = OBSTACLES[code] ?? { field: 'http.port', why: messageOf(cause) };
  return new WritError('INVALID_CONFIG', `the API cannot listen on ${host} port ${port}: ${why}`, { field, cause });
}

function portOf(app: FastifyInstance): number {
  const address = app.server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
