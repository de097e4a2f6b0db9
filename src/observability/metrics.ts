import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { WritError } from '../core/errors.ts';
import { type CounterName, type GaugeName, type HistogramName, type LabelsOf, METRICS, type MetricName } from './events.ts';
import type { MetricRole } from './labels.ts';
import type { MetricRow } from './metric-row.ts';
import { PROCESS_METRICS } from './process-metrics.ts';

/** A metric and its samples, as they travel from a process to the one that gathers. */
export interface Family {
  readonly name: string;
  readonly samples: readonly Sample[];
}

/** `name` differs from the family's for histograms: `_bucket`, `_sum`, `_count`. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The figures of one process. A method takes only names and labels of the contract (`events.ts`). */
export interface Metrics {
  readonly role: MetricRole;
  inc<K extends CounterName>(name: K, labels: LabelsOf<K>, by?: number): void;
  observe<K extends HistogramName>(name: K, labels: LabelsOf<K>, value: number): void;
  set<K extends GaugeName>(name: K, labels: LabelsOf<K>, value: number): void;
  /** Asked for at each scrape. */
  follow<K extends GaugeName>(name: K, labels: LabelsOf<K>, value: () => number): void;
  /** Takes all samples of a gauge away: nobody knows its value. */
  clear(name: GaugeName): void;
  families(): Promise<readonly Family[]>;
  /** Prometheus text exposition. */
  text(): Promise<string>;
}

/** The metrics that a role exposes; recording another one is a mistake of ours and throws. */
export function createMetrics(role: MetricRole, version: string): Metrics {
  const registry = new Registry();
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  const followed = new Map<string, () => void>();

  for (const [name, row] of Object.entries<MetricRow>(METRICS)) {
    if (!row.roles.includes(role) || name in PROCESS_METRICS) continue;
    const common = { name, help: row.help, labelNames: Object.keys(row.labels), registers: [registry] };
    if (row.type === 'counter')
      counters.set(
        name,
        startAtZero(new Counter(common), row, (counter, labels) => counter.inc(labels, 0)),
      );
    else if (row.type === 'gauge') gauges.set(name, absent(new Gauge(common)));
    else
      histograms.set(
        name,
        startAtZero(new Histogram({ ...common, buckets: [...(row.buckets ?? [])] }), row, (histogram, labels) => histogram.zero(labels)),
      );
  }
  const refreshProcess = addProcessMetrics(registry);

  async function refresh(): Promise<void> {
    for (const look of followed.values()) look();
    await refreshProcess();
  }

  const metrics: Metrics = {
    role,
    inc: (name, labels, by = 1) => known(counters, name).inc(plain(labels), by),
    observe: (name, labels, value) => known(histograms, name).observe(plain(labels), value),
    set: (name, labels, value) => known(gauges, name).set(plain(labels), value),
    follow(name, labels, value) {
      const gauge = known(gauges, name);
      followed.set(`${name} ${JSON.stringify(labels)}`, () => gauge.set(plain(labels), value()));
    },
    clear: (name) => void absent(known(gauges, name)),
    async families() {
      await refresh();
      return (await registry.getMetricsAsJSON()).map(({ name, values }) => ({ name, samples: values.map((value) => sampleOf(name, value)) }));
    },
    async text() {
      await refresh();
      return registry.metrics();
    },
  };
  metrics.set('writ_build_info', { version }, 1);
  return metrics;
}

/** What the contract typed, as prom-client takes it. */
function plain(labels: object): Record<string, string> {
  return labels as Record<string, string>;
}

function known<T>(all: ReadonlyMap<string, T>, name: string): T {
  const found = all.get(name);
  if (found === undefined) throw new WritError('INTERNAL', `this role does not expose ${name}`);
  return found;
}

/** Without samples; prom-client would show a gauge without labels as 0. */
function absent(gauge: Gauge): Gauge {
  gauge.reset();
  gauge.remove({});
  return gauge;
}

/** More series than this are not made before something happened; the transitions between six states are as many. */
const MAX_ZERO_SERIES = 36;

/** A series that appears only with its first event hides that event from `rate()`. */
function startAtZero<T>(metric: T, { labels }: MetricRow, zero: (metric: T, labels: Record<string, string>) => void): T {
  let combinations: Record<string, string>[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if ('pattern' in values) return metric;
    combinations = combinations.flatMap((one) => values.map((value) => ({ ...one, [label]: value })));
  }
  if (combinations.length <= MAX_ZERO_SERIES) for (const one of combinations) zero(metric, one);
  return metric;
}

/** Precision of the event loop's lag, milliseconds: the figure is made by a timer that wakes the process as often. */
const LAG_PRECISION_MS = 20;

/** Asking for one of these sets others that are shown; prom-client has one `collect` for each group. */
const LEADERS = ['process_cpu_user_seconds_total', 'nodejs_heap_size_total_bytes'] as const;

/** Of prom-client's default metrics those that the contract names; the others exist without being shown. To be called before each look. */
function addProcessMetrics(registry: Registry): () => Promise<void> {
  const all = new Registry();
  collectDefaultMetrics({ register: all, eventLoopMonitoringPrecision: LAG_PRECISION_MS });
  for (const name of Object.keys(PROCESS_METRICS)) {
    const metric = all.getSingleMetric(name);
    if (metric !== undefined) registry.registerMetric(metric);
  }
  return async () => {
    for (const name of LEADERS) await all.getSingleMetric(name)?.get();
  };
}

function sampleOf(name: string, value: { value: number; labels: Partial<Record<string, string | number>>; metricName?: string }): Sample {
  const labels = Object.fromEntries(Object.entries(value.labels).map(([label, text]) => [label, String(text)]));
  return { name: value.metricName ?? name, labels, value: value.value };
}

/** Whether a name stands in the contract. */
export function metricRow(name: string): MetricRow | undefined {
  return Object.hasOwn(METRICS, name) ? METRICS[name as MetricName] : undefined;
}
