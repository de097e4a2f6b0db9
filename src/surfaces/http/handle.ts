import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { isNdjson } from './body.ts';
import type { Answer, AnyRoute, Caller } from './route.ts';
import { CSP_DATA } from './security/headers.ts';
import type { HttpServices } from './services.ts';
import type { HttpTracing } from './tracing.ts';

const NOBODY: Caller = { name: 'anonymous', roles: new Set(), via: 'none' };

/** Calls that are being answered; `stop` ends those that would go on for long. */
export interface RunningCalls {
  /** `stream`: the answer goes on until somebody ends it. */
  begin(reply: FastifyReply, stream: boolean): AbortSignal;
  /** Answers without an end that are open now. */
  readonly streams: number;
  abortAll(): void;
}

export function createRunningCalls(): RunningCalls {
  const running = new Set<AbortController>();
  let streams = 0;
  return {
    begin(reply, stream) {
      const controller = new AbortController();
      running.add(controller);
      if (stream) streams += 1;
      reply.raw.once('close', () => {
        running.delete(controller);
        if (stream) streams -= 1;
        if (!reply.raw.writableFinished) controller.abort();
      });
      return controller.signal;
    },
    get streams() {
      return streams;
    },
    abortAll() {
      for (const controller of running) controller.abort();
    },
  };
}

/** A row as Fastify runs it: check what came in, call the handler, send what it answers. */
export function handlerOf(row: AnyRoute, services: HttpServices, calls: RunningCalls, tracing: HttpTracing): RouteHandlerMethod {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const run = (traceparent: string | undefined): Promise<Answer> =>
      row.run({
        traceparent,
        params: request.params,
        query: request.query,
        body: request.body,
        streamed: row.ndjson === true && isNdjson(request),
        caller: request.caller ?? NOBODY,
        request,
        reply,
        signal: calls.begin(reply, row.tag === 'events'),
        services,
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
export async function asData(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('content-security-policy', CSP_DATA);
}
