import type { FastifyRequest } from 'fastify';
import { formatTraceparent, parseTraceparent, type TraceContext } from '../../core/trace-context.ts';
import type { HttpMeter } from '../../observability/http-requests.ts';
import type { Tracer } from '../../observability/tracing/tracer.ts';
import { problemOf } from './problem.ts';
import type { Answer, AnyRoute } from './route.ts';

/** What a call is told of the trace that it belongs to. */
export interface HttpTracing {
  around(row: AnyRoute, request: FastifyRequest, run: (traceparent: string | undefined) => Promise<Answer>): Promise<Answer>;
}

/**
 * A span for each call that may change something. What is only looked at has none: whoever waits for a task looks often.
 * Without a tracer the context of the header goes on into jobs as it came.
 */
export function createHttpTracing(tracer: Tracer | undefined, meter: Pick<HttpMeter, 'badTrace'> | undefined): HttpTracing {
  return {
    async around(row, request, run) {
      const parent = contextOf(request);
      if (parent === 'bad') meter?.badTrace();
      const known = typeof parent === 'string' ? undefined : parent;
      if (tracer === undefined || row.method === 'GET') return run(known && formatTraceparent(known));
      const attributes = { 'http.request.method': row.method, 'http.route': row.path };
      return tracer.span('request', { parent: known ?? 'none', attributes }, async (span) => {
        try {
          const answer = await run(span.traceparent);
          if (answer !== 'sent') span.set({ 'http.response.status_code': answer.status });
          return answer;
        } catch (error) {
          span.set({ 'http.response.status_code': problemOf(error).status });
          throw error;
        }
      });
    },
  };
}

/** For a log line. */
export function traceIdOf(request: FastifyRequest): string | undefined {
  const context = contextOf(request);
  return typeof context === 'string' ? undefined : context.traceId;
}

function contextOf({ headers }: FastifyRequest): TraceContext | 'none' | 'bad' {
  const { traceparent } = headers;
  return traceparent === undefined ? 'none' : (parseTraceparent(traceparent) ?? 'bad');
}
