import { z } from 'zod';
import { METRICS } from './events.ts';
import { labelAllows } from './labels.ts';
import type { MetricRow } from './metric-row.ts';
import { type Family, metricRow, type Sample } from './metrics.ts';

/** What a process shows on its socket; read without trust. */
const Families = z
  .array(
    z.object({
      name: z.string().max(128),
      samples: z.array(z.object({ name: z.string().max(128), labels: z.record(z.string().max(64), z.string().max(256)), value: z.number() })).max(20_000),
    }),
  )
  .max(500);

/** The families of a JSON text; `undefined` when it is anything else, or says something that the contract does not know. */
export function parseFamilies(text: string): readonly Family[] | undefined {
  try {
    const parsed = Families.safeParse(JSON.parse(text));
    return parsed.success && parsed.data.every(inContract) ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

const SUFFIXES = { counter: [''], gauge: [''], histogram: ['_bucket', '_sum', '_count'] } as const satisfies Record<MetricRow['type'], readonly string[]>;

/** Whether name, sample names, labels and their values are those of the contract. */
export function inContract({ name, samples }: Family): boolean {
  const row = metricRow(name);
  return row !== undefined && samples.every((sample) => sampleFits(name, row, sample));
}

function sampleFits(name: string, row: MetricRow, sample: Sample): boolean {
  if (!SUFFIXES[row.type].some((suffix) => sample.name === name + suffix)) return false;
  const { le, ...labels } = sample.labels;
  const bucket = row.type === 'histogram' && sample.name.endsWith('_bucket');
  if (bucket ? !bounds(row).has(le ?? '') : le !== undefined) return false;
  const wanted = Object.entries(row.labels);
  return wanted.length === Object.keys(labels).length && wanted.every(([label, values]) => labelAllows(values, labels[label] ?? ''));
}

function bounds({ buckets = [] }: MetricRow): ReadonlySet<string> {
  return new Set([...buckets.map(String), '+Inf']);
}

/** The families of one process, and what tells it from the others. */
export interface Source {
  readonly role: string;
  readonly instance: string;
  readonly families: readonly Family[];
}

/** Many processes as one Prometheus text: each family once, in the order of the contract, its samples with `role` and `instance`. */
export function renderExposition(sources: readonly Source[]): string {
  const lines: string[] = [];
  for (const [name, row] of Object.entries<MetricRow>(METRICS)) {
    const parts = sources.flatMap(({ role, instance, families }) =>
      families.filter((family) => family.name === name).map(({ samples }) => ({ role, instance, samples })),
    );
    if (parts.length === 0) continue;
    lines.push(`# HELP ${name} ${row.help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`, `# TYPE ${name} ${row.type}`);
    for (const { role, instance, samples } of parts) for (const sample of samples) lines.push(sampleLine(sample, { role, instance }));
  }
  return `${lines.join('\n')}\n`;
}

function sampleLine({ name, labels, value }: Sample, origin: Readonly<Record<string, string>>): string {
  const pairs = Object.entries({ ...labels, ...origin }).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}{${pairs.join(',')}} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
