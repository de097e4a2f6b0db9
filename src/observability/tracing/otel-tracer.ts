import {
  type Context,
  type Link,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, ParentBasedSampler, type SpanProcessor, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';
import { isWritError } from '../../core/errors.ts';
import { formatTraceparent, type TraceContext } from '../../core/trace-context.ts';
import { SPANS, type SpanName, type SpanRow } from '../spans.ts';
import { type ResourceOfProcess, withResource } from './resource.ts';
import type { Span, SpanAttributes, SpanStart, Tracer } from './tracer.ts';

export interface OtelTracerOptions extends ResourceOfProcess {
  /** Attributes of the process that its surroundings give. */
  readonly resource?: Readonly<Record<string, string>>;
  /** Of the traces that begin here; a context that came along decides for itself. 0 to 1. */
  readonly sampleRatio: number;
  readonly processor: SpanProcessor;
}

export interface OtelTracer extends Tracer {
  /** Hands everything to the processor's shutdown. */
  stop(): Promise<void>;
}

/** Values longer than this are cut: ids that a stranger chose may be long. */
const MAX_VALUE = 256;

/** A tracer on OpenTelemetry's SDK, with nothing global: two roles in one process do not see each other's spans. */
export function createOtelTracer({ resource = {}, sampleRatio, processor, ...own }: OtelTracerOptions): OtelTracer {
  const contexts = new AsyncLocalStorageContextManager();
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes(withResource(resource, own)),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE, attributeCountLimit: 32, linkCountLimit: 128, eventCountLimit: 0 },
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('writ', own.version);
  contexts.enable();

  function contextOf(parent: SpanStart['parent']): Context {
    if (parent === undefined) return contexts.active();
    return parent === 'none' ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote(parent));
  }

  function open(name: SpanName, { attributes = {}, parent, links = [] }: SpanStart, startTime?: Date): { readonly otel: OtelSpan; readonly context: Context } {
    const { kind, name: shown } = SPANS[name] as SpanRow;
    const context = contextOf(parent);
    const otel = tracer.startSpan(
      nameOf(shown, attributes),
      {
        kind: KINDS[kind],
        attributes: { ...attributes },
        links: links.map((one): Link => ({ context: remote(one) })),
        ...(startTime === undefined ? {} : { startTime }),
      },
      context,
    );
    return { otel, context };
  }

  return {
    async span(name, start, work) {
      const { otel, context } = open(name, start);
      const span = spanOf(otel);
      try {
        return await contexts.with(trace.setSpan(context, otel), () => work(span));
      } catch (error) {
        span.fail(isWritError(error) ? error.code : 'INTERNAL');
        throw error;
      } finally {
        otel.end();
      }
    },
    mark(name, { from, to, ...start }) {
      // As dates: a small number would be read as milliseconds since the process began.
      const { otel } = open(name, start, from === undefined ? undefined : new Date(from));
      otel.end(to === undefined ? undefined : new Date(to));
      return spanOf(otel);
    },
    get active() {
      const otel = trace.getSpan(contexts.active());
      return otel === undefined ? undefined : spanOf(otel);
    },
    async stop() {
      await provider.shutdown();
      contexts.disable();
    },
  };
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const satisfies Record<SpanRow['kind'], SpanKind>;

function nameOf(shown: string, attributes: SpanAttributes): string {
  return shown.replace(/ ?\{([a-z._]+)\}/g, (all, attribute: keyof SpanAttributes) => {
    const value = attributes[attribute];
    return value === undefined ? '' : `${all.startsWith(' ') ? ' ' : ''}${value}`;
  });
}

function remote({ traceId, spanId, sampled }: TraceContext): SpanContext {
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function spanOf(otel: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = otel.spanContext();
  const context = { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
  return {
    ...context,
    traceparent: formatTraceparent(context),
    set: (attributes) => void otel.setAttributes({ ...attributes }),
    // Without a message: those of errors may hold what a producer wrote.
    fail: (code) => void otel.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR }),
  };
}
