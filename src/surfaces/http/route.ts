import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type ErrorCode, WritError } from '../../core/errors.ts';
import { problemsOf, refusalOf } from '../../core/shape-problems.ts';
import { isAboutManifest } from '../shared/input/schema-fault.ts';
import type { Access, Caller } from './caller.ts';
import type { SessionStore } from './security/sessions.ts';
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
  /** The context that a job of this call belongs to, unless the body names another one. */
  readonly traceparent: string | undefined;
  readonly services: HttpServices;
  /** Who is logged in with a browser. */
  readonly sessions: SessionStore;
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

/** What a row says about itself. */
export interface RouteFacts {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** In Fastify's notation: `/v1/tasks/:id`. */
  readonly path: string;
  /** Name of the operation in OpenAPI and in the client. */
  readonly operation: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: 'tasks' | 'plans' | 'queues' | 'search' | 'leases' | 'schedules' | 'keys' | 'events' | 'health' | 'mcp' | 'messages' | 'sessions' | 'webhooks';
  readonly access: Access;
  /** Needs no key while the server is bound to loopback and the caller comes from there directly (`/metrics`). */
  readonly openOnLoopback?: true;
  /** Accepts `application/x-ndjson` beside (or instead of) JSON; then `body` is `undefined` and the handler reads the stream. */
  readonly ndjson?: boolean;
  /** Request headers that the route looks at: name → sentence. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** The handler judges the body itself, with words that every surface shares, and finds it in `request.body`; the schema is for the documents. */
  readonly judgesBody?: true;
  /** Codes of problem documents beyond those that every route may answer. */
  readonly problems: readonly ErrorCode[];
}

/** A row as it is written: the types of its schemas are those that its handler gets. */
export interface Route<P, Q, B> extends RouteFacts {
  readonly params?: z.ZodType<P>;
  readonly query?: z.ZodType<Q>;
  /** A schema for JSON; `ndjson` hands the raw stream on in `request.raw`, unlimited in length but not in lines. */
  readonly body?: z.ZodType<B>;
  readonly handle: (call: Call<P, Q, B>) => Promise<Answer>;
}

/** A call as it came, nothing of it checked; `streamed`: the body is a stream, which the handler reads. */
export type RawCall = Call<unknown, unknown, unknown> & { readonly streamed: boolean };

/** A row as the table has it: whoever runs it need not know the types of its schemas. */
export interface AnyRoute extends RouteFacts {
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Checks the call against the schemas, then handles it. Throws WritError INVALID_ARGUMENT, INVALID_MANIFEST, and the handler's. */
  readonly run: (call: RawCall) => Promise<Answer>;
}

/** Keeps the types of a row's schemas between its check and its handler, and forgets them for the table. */
export function route<P = undefined, Q = undefined, B = undefined>({ handle, ...row }: Route<P, Q, B>): AnyRoute {
  return {
    ...row,
    run: async ({ streamed, ...call }) => {
      if (row.query === undefined && row.access !== 'open') refuseQuery(call.query);
      return handle({
        ...call,
        params: checked(row, 'params', row.params, call.params),
        query: checked(row, 'query', row.query, call.query),
        // The handler of a row with two kinds of body looks at the kind before it looks at the body.
        body: streamed || row.judgesBody === true ? (undefined as B) : checked(row, 'body', row.body, call.body),
      });
    },
  };
}

type Part = 'params' | 'query' | 'body';

/**
 * One part of a request through the schema of its row. Without a schema there must be nothing, and `T` is `undefined`.
 *
 * @throws WritError with the dotted path in `field`: INVALID_MANIFEST for what lies below `manifest` or `envelope` where the row knows
 *   that code, otherwise INVALID_ARGUMENT
 */
export function checked<T>(row: { readonly problems: readonly ErrorCode[] }, part: Part, schema: z.ZodType<T> | undefined, value: unknown): T {
  if (schema === undefined) {
    if (part === 'body') refuseBody(value);
    return undefined as T;
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const problems = problemsOf(read.error, schema, value);
  const ofManifest = part === 'body' && isAboutManifest(problems[0].field) && row.problems.includes('INVALID_MANIFEST');
  throw refusalOf(ofManifest ? 'INVALID_MANIFEST' : 'INVALID_ARGUMENT', problems, `the ${part}`);
}

/** An empty object says nothing, and some clients cannot send less. */
function refuseBody(value: unknown): void {
  const empty = value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  if (!empty) throw new WritError('INVALID_ARGUMENT', 'this route takes no body');
}

/** `?dry_run=true` of a route that has none would be an order that its sender did not mean. What is open to all may be asked with a probe's own. */
function refuseQuery(query: unknown): void {
  const [name] = Object.keys(query ?? {});
  if (name !== undefined) throw new WritError('INVALID_ARGUMENT', 'this route takes no parameters', { field: name });
}
