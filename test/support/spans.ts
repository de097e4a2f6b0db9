import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { createOtelTracer, type OtelTracer } from '../../src/observability/tracing/otel-tracer.ts';

/** A tracer, and the spans that have ended. */
export interface Kept {
  readonly tracer: OtelTracer;
  readonly spans: readonly ReadableSpan[];
  named(name: string): ReadableSpan;
}

export function keepingTracer(sampleRatio = 1): Kept {
  const spans: ReadableSpan[] = [];
  const processor = {
    onStart: () => undefined,
    onEnd: (span: ReadableSpan) => void spans.push(span),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const tracer = createOtelTracer({ role: 'worker', version: '0', instance: 'one', sampleRatio, processor });
  return {
    tracer,
    spans,
    named(name) {
      const found = spans.find((span) => span.name === name);
      if (found === undefined) throw new Error(`no span ${name}; there are ${spans.map((span) => span.name).join(', ')}`);
      return found;
    },
  };
}
