import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { countDelivery, type DeliveryReport } from '../../../src/observability/deliveries.ts';
import { METRICS } from '../../../src/observability/events.ts';
import { inContract, parseFamilies, renderExposition } from '../../../src/observability/exposition.ts';
import { LOG_LINES } from '../../../src/observability/log-lines.ts';
import type { EventRow, MetricRow } from '../../../src/observability/metric-row.ts';
import { createMetrics, type Family } from '../../../src/observability/metrics.ts';
import { PROCESS_METRICS } from '../../../src/observability/process-metrics.ts';

const rows = Object.entries<MetricRow>(METRICS);

describe('the contract of metrics', () => {
  it.each(rows)('%s is named as Prometheus asks, explained in a sentence, and bounded in its labels', (name, { type, unit, help, labels, buckets }) => {
    expect(name).toMatch(/^(writ|process|nodejs)(_[a-z0-9]+)+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    const base = name.replace(/_total$/, '');
    if (unit === 'seconds' || unit === 'bytes') expect(base).toMatch(new RegExp(`_${unit}$`));
    expect(help).toMatch(/^[A-Z0-9].*\.$/);
    expect(buckets === undefined).toBe(type !== 'histogram');
    expect([...(buckets ?? [])]).toEqual([...(buckets ?? [])].sort((a, b) => a - b));
    for (const [label, values] of Object.entries(labels)) {
      expect(['role', 'instance', 'le', 'quantile']).not.toContain(label);
      if (!('pattern' in values)) expect(new Set(values).size).toBe(values.length);
    }
  });

  it('has at most a few hundred series of each metric', () => {
    for (const [, { labels, buckets }] of rows) {
      const values = Object.values(labels).map((set) => ('pattern' in set ? 3 : set.length));
      expect(values.reduce((product, count) => product * count, (buckets?.length ?? 0) + 1)).toBeLessThanOrEqual(500);
    }
  });
});

const hostile = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom('FILE_MOVE', '__proto__', 'constructor', 'a"} 1\nwrit_evil 1', 'none'));
const time = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1e300));
const report: fc.Arbitrary<DeliveryReport> = fc.record({
  queue: hostile,
  jobId: hostile,
  taskId: fc.option(hostile, { nil: undefined }),
  capability: fc.option(hostile, { nil: undefined }),
  end: fc.constantFrom('SUCCESS', 'FAILURE', 'malformed', 'refused', 'busy', 'interrupted', 'crashed'),
  code: fc.option(hostile, { nil: undefined }),
  message: fc.option(hostile, { nil: undefined }),
  ms: time,
  takeovers: fc.nat(5),
  replayed: fc.boolean(),
  attempt: fc.record({ addedAt: time, fetchedAt: time, started: time, failed: time, failures: time }),
  endedAt: time,
});

describe('recording', () => {
  it('stays inside the contract whatever a producer wrote into its job', async () => {
    const metrics = createMetrics('worker', '1.0.0');
    const samplesBefore = await count(metrics.families());
    fc.assert(fc.property(report, (one) => countDelivery(metrics, one)));
    const families = await metrics.families();
    for (const family of families) expect([family.name, inContract(family)]).toEqual([family.name, true]);
    // Only series of the labels' closed sets can have been added.
    expect((await count(metrics.families())) - samplesBefore).toBeLessThan(150);
  });

  it('shows figures of the process that move: a leader that is not shown itself sets processor time and heap', async () => {
    const metrics = createMetrics('worker', '0');
    const shown = async (name: string) => (await metrics.families()).find((family) => family.name === name)?.samples[0]?.value ?? 0;
    for (const name of Object.keys(PROCESS_METRICS).filter((one) => !one.includes('eventloop')))
      expect([name, await shown(name)]).toEqual([name, expect.toSatisfy((value: number) => value > 0)]);
    const before = await shown('process_cpu_seconds_total');
    const start = process.cpuUsage();
    while (process.cpuUsage(start).user < 20_000);
    expect(await shown('process_cpu_seconds_total')).toBeGreaterThan(before);
    expect(await metrics.text()).toMatch(/nodejs_heap_size_used_bytes [1-9]/);
  });

  it('refuses a metric of another role', () => {
    expect(() => createMetrics('kernel', '1').inc('writ_stalled_total', {})).toThrow('does not expose');
  });
});

async function count(families: Promise<readonly Family[]>): Promise<number> {
  return (await families).reduce((sum, { samples }) => sum + samples.length, 0);
}

describe('families of another process', () => {
  it('come through as they are', async () => {
    const families = await createMetrics('worker', '1').families();
    expect(parseFamilies(JSON.stringify(families))).toEqual(families);
  });

  it('are refused when they say anything that the contract does not know', () => {
    const good: Family = { name: 'writ_stalled_total', samples: [{ name: 'writ_stalled_total', labels: {}, value: 1 }] };
    expect(inContract(good)).toBe(true);
    expect(parseFamilies(JSON.stringify([{ ...good, name: 'writ_evil' }]))).toBeUndefined();
    expect(parseFamilies(JSON.stringify([{ ...good, name: '__proto__' }]))).toBeUndefined();
    expect(parseFamilies(JSON.stringify([{ ...good, samples: [{ name: 'writ_stalled_total_bucket', labels: {}, value: 1 }] }]))).toBeUndefined();
    expect(parseFamilies(JSON.stringify([{ ...good, samples: [{ name: 'writ_stalled_total', labels: { path: '/etc' }, value: 1 }] }]))).toBeUndefined();
    expect(parseFamilies(JSON.stringify([{ ...good, samples: [{ name: 'writ_stalled_total', labels: { le: '1' }, value: 1 }] }]))).toBeUndefined();
    expect(parseFamilies(JSON.stringify([{ ...good, samples: [{ name: 'writ_stalled_total', labels: {}, value: '1' }] }]))).toBeUndefined();
    expect(parseFamilies('[{"name":"writ_build_info","samples":[{"name":"writ_build_info","labels":{"version":"1\\n2"},"value":1}]}]')).toBeUndefined();
  });

  it('never throw, whatever the text', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseFamilies(text)));
  });

  it('are shown with one HELP and TYPE for each family', async () => {
    const families = await createMetrics('kernel', '1').families();
    const text = renderExposition([
      { role: 'kernel', instance: 'a', families },
      { role: 'kernel', instance: 'b', families },
    ]);
    const heads = text.split('\n').filter((line) => line.startsWith('# TYPE'));
    expect(new Set(heads).size).toBe(heads.length);
    expect(text).toContain('writ_build_info{version="1",role="kernel",instance="b"} 1');
  });
});

describe('log lines', () => {
  it('are all in the contract: every log call of the sources names one of its kinds', () => {
    const messages = new Set(Object.values<EventRow>(LOG_LINES).map(({ message }) => message));
    const unknown: string[] = [];
    for (const file of sourceFiles(['src', 'queues', 'processors'])) {
      for (const [call, message] of readFileSync(path.join(packageRoot(), file), 'utf8').matchAll(
        /\blog\.(?:trace|debug|info|warn|error|fatal)\([^\n]*?'([^'\n]+)'\)/g,
      )) {
        if (!messages.has(message ?? '')) unknown.push(`${file}: ${call}`);
      }
    }
    expect(unknown).toEqual([]);
  });
});

function sourceFiles(folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(packageRoot(), folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => path.join(folder, name)),
  );
}
