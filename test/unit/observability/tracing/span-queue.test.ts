import { setImmediate as turn } from 'node:timers/promises';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createOtelTracer } from '../../../../src/observability/tracing/otel-tracer.ts';
import { createSpanQueue, type SpanQueueOptions } from '../../../../src/observability/tracing/span-queue.ts';

const tally = () => {
  const dropped: [string, number][] = [];
  let exported = 0;
  return {
    dropped,
    get exported() {
      return exported;
    },
    hooks: {
      onExported: (spans: number) => {
        exported += spans;
      },
      onDropped: (why: string, spans: number) => void dropped.push([why, spans]),
    },
  };
};

function tracerWith(exporter: SpanExporter, changes: Partial<SpanQueueOptions>, hooks: Pick<SpanQueueOptions, 'onExported' | 'onDropped'>) {
  const processor = createSpanQueue({ exporter, maxSpans: 10, batch: 4, everyMs: 1000, timeoutMs: 100, ...hooks, ...changes });
  return createOtelTracer({ role: 'worker', version: '0', instance: 'one', sampleRatio: 1, processor });
}

/** A collector that answers when it is told to. */
function slowExporter() {
  const asked: { readonly spans: readonly ReadableSpan[]; readonly end: (ok: boolean) => void }[] = [];
  const exporter: SpanExporter = {
    export: (spans, done) => void asked.push({ spans, end: (ok) => done(ok ? { code: 0 } : { code: 1, error: new Error('503') }) }),
    shutdown: async () => undefined,
  };
  return { exporter, asked };
}

describe('the queue of spans', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('hands on full batches at once and the rest after a second', async () => {
    const { exporter, asked } = slowExporter();
    const told = tally();
    const tracer = tracerWith(exporter, {}, told.hooks);
    for (let n = 0; n < 5; n += 1) tracer.mark('wait', {});
    expect(asked.map(({ spans }) => spans.length)).toEqual([4]);
    asked[0]?.end(true);
    await turn();
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked.map(({ spans }) => spans.length)).toEqual([4, 1]);
    asked[1]?.end(true);
    await turn();
    expect([told.exported, told.dropped]).toEqual([5, []]);
  });

  it('asks a slow collector one request at a time, keeps so many spans, and counts what it drops', async () => {
    const { exporter, asked } = slowExporter();
    const told = tally();
    const tracer = tracerWith(exporter, {}, told.hooks);
    for (let n = 0; n < 50; n += 1) tracer.mark('wait', {});
    expect(asked).toHaveLength(1);
    expect(told.dropped.length).toBe(50 - 4 - 10);
    expect(new Set(told.dropped.map(([why]) => why))).toEqual(new Set(['queue_full']));
    // Longer than the collector may take: that batch is lost, the next one goes.
    await vi.advanceTimersByTimeAsync(700);
    expect(told.dropped.at(-1)).toEqual(['export_failed', 4]);
    expect(asked).toHaveLength(2);
    asked[1]?.end(true);
    await turn();
    expect(told.exported).toBe(4);
  });

  it('drops what a collector refuses, or an exporter that throws cannot send', async () => {
    const { exporter, asked } = slowExporter();
    const told = tally();
    const tracer = tracerWith(exporter, { batch: 1 }, told.hooks);
    tracer.mark('wait', {});
    asked[0]?.end(false);
    await turn();
    expect(told.dropped).toEqual([['export_failed', 1]]);

    const throwing = tracerWith(
      {
        ...exporter,
        export: () => {
          throw new Error('no');
        },
      },
      { batch: 1 },
      told.hooks,
    );
    throwing.mark('wait', {});
    await turn();
    expect(told.dropped).toHaveLength(2);
  });

  it('sends what waits when it is stopped, within the time that it has, and counts the rest', async () => {
    const good: SpanExporter = { export: (_spans, done) => done({ code: 0 }), shutdown: async () => undefined };
    const told = tally();
    const tracer = tracerWith(good, { batch: 4 }, told.hooks);
    for (let n = 0; n < 3; n += 1) tracer.mark('wait', {});
    await tracer.stop();
    expect(told.exported).toBe(3);

    const { exporter } = slowExporter();
    told.dropped.length = 0;
    const late = tracerWith(exporter, { batch: 4 }, told.hooks);
    for (let n = 0; n < 6; n += 1) late.mark('wait', {});
    const stopping = late.stop();
    await vi.advanceTimersByTimeAsync(100);
    await stopping;
    expect(told.dropped).toEqual([['stopped', 2]]);
  });

  it('does not take spans that are not sampled', () => {
    const { exporter, asked } = slowExporter();
    const told = tally();
    const tracer = tracerWith(exporter, { batch: 1 }, told.hooks);
    tracer.mark('wait', { parent: { traceId: '1'.repeat(32), spanId: '2'.repeat(16), sampled: false } });
    expect([asked.length, told.dropped]).toEqual([0, []]);
  });
});
