import type { LabelsOf } from './events.ts';
import type { Metrics } from './metrics.ts';

type Labels = LabelsOf<'writ_http_requests_total'>;

/** One request that has ended. */
export interface EndedRequest {
  /** As the route is written; `none` for a path that nothing has. */
  readonly route: string;
  readonly method: string;
  /** `undefined`: the client left before an answer began. */
  readonly status: number | undefined;
  readonly seconds: number;
}

/** What the HTTP server tells about itself. */
export interface HttpMeter {
  ended(request: EndedRequest): void;
  /** A header `traceparent` that was none. */
  badTrace(): void;
  /** Asked at each scrape. */
  follow(now: { readonly connections: () => number; readonly streams: () => number }): void;
}

export function createHttpMeter(metrics: Metrics): HttpMeter {
  return {
    ended({ route, method, status, seconds }) {
      metrics.inc('writ_http_requests_total', { route, method: methodLabel(method), status_class: classOf(status) });
      metrics.observe('writ_http_request_seconds', { route }, seconds);
    },
    badTrace: () => metrics.inc('writ_trace_contexts_ignored_total', { source: 'http' }),
    follow({ connections, streams }) {
      metrics.follow('writ_http_connections', {}, connections);
      metrics.follow('writ_http_event_streams', {}, streams);
    },
  };
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function methodLabel(method: string): Labels['method'] {
  return METHODS.has(method) ? (method as Labels['method']) : 'other';
}

const CLASSES: Readonly<Record<number, Labels['status_class']>> = { 2: '2xx', 3: '3xx', 4: '4xx', 5: '5xx' };

function classOf(status: number | undefined): Labels['status_class'] {
  return status === undefined ? 'gone' : (CLASSES[Math.floor(status / 100)] ?? '5xx');
}
