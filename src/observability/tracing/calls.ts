import type { SpanName } from '../spans.ts';
import type { Span, Tracer } from './tracer.ts';

type AsyncMethod<T> = { [K in keyof T]-?: T[K] extends (...given: never[]) => Promise<unknown> ? K : never }[keyof T];

/** A port as it is, with spans around some of its calls; the very same port when tracing is off. */
export function traceCalls<T extends object>(port: T, spans: { readonly [K in AsyncMethod<T>]?: SpanName }, tracer: Tracer | undefined): T {
  if (tracer === undefined) return port;
  const names = new Map<PropertyKey, SpanName>(Object.entries<SpanName>(spans as Record<string, SpanName>));
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      const name = names.get(key);
      if (name === undefined || typeof value !== 'function') return value;
      return (...given: unknown[]): Promise<unknown> => tracer.span(name, {}, async (span) => told(span, await Reflect.apply(value, target, given)));
    },
  });
}

/** Kinds and words of answers are ours; everything else in an answer stays out. */
export function told<T>(span: Span, answer: T): T {
  if (typeof answer === 'string') {
    if (WORDS.has(answer)) span.set({ 'writ.answer': answer });
  } else if (typeof answer === 'object' && answer !== null) {
    if ('kind' in answer && typeof answer.kind === 'string') span.set({ 'writ.answer': answer.kind });
    else if ('ok' in answer && typeof answer.ok === 'boolean') span.set({ 'writ.answer': answer.ok ? 'ok' : 'refused' });
    const code = codeIn(answer);
    if (code !== undefined) span.fail(code);
  }
  return answer;
}

/** Answers of the ledger that are words. */
const WORDS: ReadonlySet<string> = new Set(['recorded', 'stale', 'lost']);

/** Of an outcome that is a failure, or of an answer that says no. */
function codeIn(answer: object): string | undefined {
  const inner = 'outcome' in answer && typeof answer.outcome === 'object' && answer.outcome !== null ? answer.outcome : undefined;
  if (inner !== undefined) {
    const error = 'error' in inner && typeof inner.error === 'object' && inner.error !== null ? inner.error : undefined;
    return error !== undefined && 'error_code' in error && typeof error.error_code === 'string' ? error.error_code : undefined;
  }
  return 'ok' in answer && answer.ok === false && 'code' in answer && typeof answer.code === 'string' ? answer.code : undefined;
}
