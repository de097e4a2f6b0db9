import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { createOtelTracer, type OtelTracer, type OtelTracerOptions } from './otel-tracer.ts';
import { createSpanQueue, type SpanQueueOptions } from './span-queue.ts';

export interface ExportingTracerOptions
  extends Omit<OtelTracerOptions, 'processor'>,
    Pick<SpanQueueOptions, 'maxSpans' | 'timeoutMs' | 'onExported' | 'onDropped'> {
  /** Where OTLP over HTTP is taken, `/v1/traces` included. */
  readonly endpoint: string;
  /** Asked for each request: a secret that was changed is good for the next one. A rejection drops the spans of one request. */
  readonly headers: () => Promise<Record<string, string>>;
}

/** Spans of one request: some 100 KB of JSON, a few milliseconds of the event loop. */
const BATCH = 256;
const EVERY_MS = 1000;

/** A tracer whose spans go to a collector, in OTLP/JSON. */
export function createExportingTracer({ endpoint, headers, maxSpans, timeoutMs, onExported, onDropped, ...tracer }: ExportingTracerOptions): OtelTracer {
  const exporter = new OTLPTraceExporter({ url: endpoint, headers, timeoutMillis: timeoutMs });
  return createOtelTracer({
    ...tracer,
    processor: createSpanQueue({ exporter, maxSpans, batch: Math.min(BATCH, maxSpans), everyMs: EVERY_MS, timeoutMs, onExported, onDropped }),
  });
}
