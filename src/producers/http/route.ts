import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ErrorCode } from '../../core/errors.ts';
import type { Access, Caller } from './caller.ts';
import type { HttpServices } from './services.ts';

export type { Access, Caller } from './caller.ts';

/**
 * Every route of the API is one row of a table: what it is called, who may call it, what goes in and out. The server,
 * the OpenAPI document, the matrix of route x role and the contract tests are all made from these rows.
 */

/** One call of a route, checked against the schemas of its row. */
export interface Call<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
  readonly services: HttpServices;
}

/** What a handler answers; `sent` when it has written to the reply by itself (streams). */
export type Answer = { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } | 'sent';

export interface ResponseSpec {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** `application/json` unless given. */
  readonly type?: string;
  /** The same status with another media type: type → schema of one line of it. */
  readonly also?: Readonly<Record<string, z.ZodType>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route<P = unknown, Q = unknown, B = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** In Fastify's notation: `/v1/tasks/:id`. */
  readonly path: string;
  /** Name of the operation in OpenAPI and in the client. */
  readonly operation: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: 'tasks' | 'leases' | 'keys' | 'events' | 'health';
  readonly access: Access;
  /** Needs no key while the server is bound to loopback and the caller comes from there directly (`/metrics`). */
  readonly openOnLoopback?: true;
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  /** A schema for JSON; `ndjson` hands the raw stream on in `request.raw`, unlimited in length but not in lines. */
  readonly body?: z.ZodType<B>;
  /** Accepts `application/x-ndjson` beside (or instead of) JSON; then `body` is `undefined` and the handler reads the stream. */
  readonly ndjson?: boolean;
  /** Request headers that the route looks at: name → sentence. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Codes of problem documents beyond those that every route may answer. */
  readonly problems: readonly ErrorCode[];
  handle(call: Call<P, Q, B>): Promise<Answer>;
}

/** Keeps the types of a row's schemas for its handler, and forgets them for the table. */
export function route<P = undefined, Q = undefined, B = undefined>(row: Route<P, Q, B>): AnyRoute {
  return row as AnyRoute;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of rows whose schemas differ; each handler is typed by `route`
export type AnyRoute = Route<any, any, any>;
