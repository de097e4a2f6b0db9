import type { TraceContext } from '../../core/trace-context.ts';
import type { AttributeName, SpanName } from '../spans.ts';

export type SpanAttributes = { readonly [K in AttributeName]?: string | number | boolean | undefined };

/** A span that is open, or has been. */
export interface Span extends TraceContext {
  /** For whoever is asked next. */
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** Ends as an error of this code. */
  fail(code: string): void;
}

export interface SpanStart {
  readonly attributes?: SpanAttributes;
  /** The active span unless given; `none` begins a trace. */
  readonly parent?: TraceContext | 'none' | undefined;
  readonly links?: readonly TraceContext[];
}

/** Makes spans of the contract (`spans.ts`). `undefined` in its place: tracing is off, and nobody pays for it. */
export interface Tracer {
  /** Runs work in a span, which is the active one meanwhile. What is thrown ends it as an error and is thrown on. */
  span<T>(name: SpanName, start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>;
  /** A span of the past, milliseconds since 1970; of this moment unless given. */
  mark(name: SpanName, start: SpanStart & { readonly from?: number; readonly to?: number }): Span;
  /** The span around the caller. */
  readonly active: Span | undefined;
}
