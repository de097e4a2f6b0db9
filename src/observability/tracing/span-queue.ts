import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { withTimeout } from '../../core/with-timeout.ts';

export type DropReason = 'queue_full' | 'export_failed' | 'stopped';

export interface SpanQueueOptions {
  readonly exporter: SpanExporter;
  /** Spans that wait for the collector; further ones are dropped. */
  readonly maxSpans: number;
  /** Spans of one request. */
  readonly batch: number;
  /** Longest wait of a span for others, milliseconds. */
  readonly everyMs: number;
  /** A request that takes longer has failed, milliseconds. */
  readonly timeoutMs: number;
  readonly onExported: (spans: number) => void;
  readonly onDropped: (why: DropReason, spans: number, error?: Error) => void;
}

/** `ExportResultCode.SUCCESS`. */
const SUCCESS = 0;

/**
 * Keeps ended spans until the collector has them: one request at a time, a bounded queue, and nothing that a task would
 * wait for. The SDK's own processor says of what it dropped only how many, and only to a logger.
 */
export function createSpanQueue({ exporter, maxSpans, batch, everyMs, timeoutMs, onExported, onDropped }: SpanQueueOptions): SpanProcessor {
  const waiting: ReadableSpan[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<boolean> | undefined;
  let stopped = false;

  function send(): Promise<boolean> {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendBatch(waiting.splice(0, batch)).finally(() => {
      sending = undefined;
      if (!stopped && waiting.length > 0) later();
    });
    return sending;
  }

  function later(): void {
    if (waiting.length >= batch && sending === undefined) void send();
    else timer ??= setTimeout(() => void send(), everyMs).unref();
  }

  async function sendBatch(spans: ReadableSpan[]): Promise<boolean> {
    const error = await exported(spans);
    if (error === undefined) onExported(spans.length);
    else onDropped('export_failed', spans.length, error);
    return error === undefined;
  }

  /** The exporter has a limit of its own, with its retries inside; this one is for what it does before the request. */
  function exported(spans: ReadableSpan[]): Promise<Error | undefined> {
    return new Promise((resolve) => {
      const deadline = setTimeout(() => resolve(new Error('the collector did not answer in time')), timeoutMs + GRACE_MS).unref();
      const end = (error: Error | undefined): void => {
        clearTimeout(deadline);
        resolve(error);
      };
      try {
        exporter.export(spans, ({ code, error }) => end(code === SUCCESS ? undefined : (error ?? new Error('the collector refused the spans'))));
      } catch (error) {
        end(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  /** Until nothing waits, or the collector fails. */
  async function flush(): Promise<void> {
    while (sending !== undefined || waiting.length > 0) if (!(await send())) return;
  }

  return {
    onStart: () => undefined,
    onEnd(span) {
      if ((span.spanContext().traceFlags & 1) === 0) return;
      if (stopped) return onDropped('stopped', 1);
      if (waiting.length >= maxSpans) return onDropped('queue_full', 1);
      waiting.push(span);
      later();
    },
    forceFlush: flush,
    async shutdown() {
      if (stopped) return;
      stopped = true;
      clearTimeout(timer);
      await withTimeout(flush(), timeoutMs);
      if (waiting.length > 0) onDropped('stopped', waiting.splice(0).length);
      await exporter.shutdown().catch(() => undefined);
    },
  };
}

const GRACE_MS = 500;
