import { METHODS } from 'node:http';
import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import { WritError } from '../../core/errors.ts';
import { acceptNdjson } from './body.ts';
import { asData, handlerOf, type RunningCalls } from './handle.ts';
import type { AnyRoute } from './route.ts';
import type { HttpServices } from './services.ts';
import type { HttpTracing } from './tracing.ts';

/** All that Node reads; CONNECT never becomes a request. */
const REFUSABLE = METHODS.filter((method) => method !== 'CONNECT');

/** Every row as a route. Those that take NDJSON live in a scope of their own, where that body is a stream. */
export function registerRows(app: FastifyInstance, rows: readonly AnyRoute[], services: HttpServices, calls: RunningCalls, tracing: HttpTracing): void {
  const add = (scope: FastifyInstance, row: AnyRoute) =>
    scope.route({
      method: row.method,
      url: row.path,
      // A stream has no end, so there is nothing to tell about its length.
      exposeHeadRoute: hasHead(row),
      config: configOf(row),
      onRequest: asData,
      handler: handlerOf(row, services, calls, tracing),
    });
  for (const row of rows) if (row.ndjson !== true) add(app, row);
  app.register(async (scope) => {
    acceptNdjson(scope);
    for (const row of rows) if (row.ndjson === true) add(scope, row);
  });
}

/** 405 with Allow for every other method of the known paths, before anybody is asked who they are. */
export function registerRefusedMethods(
  app: FastifyInstance,
  known: readonly { readonly method: string; readonly path: string; readonly head?: boolean }[],
): void {
  for (const method of REFUSABLE) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const byPath = new Map<string, Set<string>>();
  for (const { method, path, head } of known) {
    const methods = byPath.get(path) ?? new Set();
    methods.add(method);
    if (method === 'GET' && head !== false) methods.add('HEAD');
    byPath.set(path, methods);
  }
  for (const [url, methods] of byPath) {
    const allow = [...methods].sort().join(', ');
    app.route({
      method: REFUSABLE.filter((method) => !methods.has(method)),
      url,
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
