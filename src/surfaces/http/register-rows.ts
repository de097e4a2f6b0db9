import { METHODS } from 'node:http';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { WritError } from '../../core/errors.ts';
import { acceptNdjson, isNdjson } from './body.ts';
import { type KnownPath, overlap } from './known-paths.ts';
import type { Answer, AnyRoute, Caller } from './route.ts';
import { CSP_DATA } from './security/headers.ts';
import type { SessionStore } from './security/sessions.ts';
import type { HttpServices } from './services.ts';
import type { HttpTracing } from './tracing.ts';

/** All that Node reads; CONNECT never becomes a request. */
const REFUSABLE = METHODS.filter((method) => method !== 'CONNECT');

/** What every row is run with. */
export interface RowParts {
  readonly services: HttpServices;
  readonly sessions: SessionStore;
  readonly calls: RunningCalls;
  readonly tracing: HttpTracing;
}

/** Every row as a route. Those that take NDJSON live in a scope of their own, where that body is a stream. */
export function registerRows(app: FastifyInstance, rows: readonly AnyRoute[], parts: RowParts): void {
  const add = (scope: FastifyInstance, row: AnyRoute) =>
    scope.route({
      method: row.method,
      url: row.path,
      // A stream has no end, so there is nothing to tell about its length.
      exposeHeadRoute: hasHead(row),
      config: configOf(row),
      onRequest: asData,
      handler: handlerOf(row, parts),
    });
  for (const row of rows) if (row.ndjson !== true) add(app, row);
  app.register(async (scope) => {
    acceptNdjson(scope);
    for (const row of rows) if (row.ndjson === true) add(scope, row);
  });
}

/**
 * 405 with Allow for every other method of the known paths, before anybody is asked who they are. Fastify finds no route for most of them,
 * and the gate tells (`gate.ts`): two thousand routes would be a tenth of what a server costs to make. A route of its own has a method
 * that would lead to another path: `GET /v1/tasks/retry` is no task.
 */
export function registerRefusedMethods(app: FastifyInstance, paths: readonly KnownPath[]): void {
  for (const method of REFUSABLE) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  for (const { path, methods, allow } of paths) {
    const others = paths.filter((other) => other.path !== path && overlap(other.path, path));
    const method = REFUSABLE.filter((one) => !methods.has(one) && others.some((other) => other.methods.has(one)));
    if (method.length === 0) continue;
    app.route({
      method,
      url: path,
      exposeHeadRoute: false,
      config: { access: 'open', allow },
      onRequest: asData,
      handler: () => {
        throw new WritError('METHOD_NOT_ALLOWED', `this path has ${allow}`);
      },
    });
  }
}

export function hasHead(row: AnyRoute): boolean {
  return row.method === 'GET' && row.tag !== 'events';
}

function configOf(row: AnyRoute): FastifyContextConfig {
  return {
    access: row.access,
    openOnLoopback: row.openOnLoopback === true,
    ndjson: row.ndjson === true,
    manifests: row.problems.includes('INVALID_MANIFEST'),
  };
}

const NOBODY: Caller = { name: 'anonymous', roles: new Set(), via: 'none' };

/** Calls that are being answered; `stop` ends those that would go on for long. */
export interface RunningCalls {
  /** `stream`: the answer goes on until somebody ends it. The signal fires when the client goes, and when the caller may call no more. */
  begin(reply: FastifyReply, stream: boolean, caller: Caller): AbortSignal;
  /** Answers without an end that are open now. */
  readonly streams: number;
  abortAll(): void;
}

/** A key that was taken away ends the calls that it has begun, streams without an end among them, within this time and another second. */
const LOOK_MS = 1000;

export function createRunningCalls(): RunningCalls {
  const running = new Map<AbortController, Caller>();
  let streams = 0;
  let looks: NodeJS.Timeout | undefined;
  const look = (): void => {
    for (const [controller, { lives }] of running) {
      // A file of keys that cannot be read just now takes nobody's call away.
      void lives?.().then(
        (may) => may || controller.abort(),
        () => undefined,
      );
    }
  };
  return {
    begin(reply, stream, caller) {
      const controller = new AbortController();
      running.set(controller, caller);
      looks ??= setInterval(look, LOOK_MS).unref();
      if (stream) streams += 1;
      reply.raw.once('close', () => {
        running.delete(controller);
        if (running.size === 0) {
          clearInterval(looks);
          looks = undefined;
        }
        if (stream) streams -= 1;
        if (!reply.raw.writableFinished) controller.abort();
      });
      return controller.signal;
    },
    get streams() {
      return streams;
    },
    abortAll() {
      for (const controller of running.keys()) controller.abort();
    },
  };
}

/** A row as Fastify runs it: check what came in, call the handler, send what it answers. */
function handlerOf(row: AnyRoute, { services, sessions, calls, tracing }: RowParts): RouteHandlerMethod {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const caller = request.caller ?? NOBODY;
    const run = (traceparent: string | undefined): Promise<Answer> =>
      row.run({
        traceparent,
        params: request.params,
        query: request.query,
        body: request.body,
        streamed: row.ndjson === true && isNdjson(request),
        caller,
        request,
        reply,
        signal: calls.begin(reply, row.tag === 'events', caller),
        services,
        sessions,
      });
    const answer = await tracing.around(row, request, run);
    return answer === 'sent' ? reply : send(reply, answer);
  };
}

function send(reply: FastifyReply, { status, body, headers }: Exclude<Answer, 'sent'>): FastifyReply {
  reply.code(status);
  if (headers !== undefined) reply.headers(headers);
  if (body === undefined) return reply.send();
  if (reply.hasHeader('content-type')) return reply.send(typeof body === 'string' ? body : JSON.stringify(body));
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** Answers of the API are data, and about this moment. */
async function asData(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('content-security-policy', CSP_DATA);
}
