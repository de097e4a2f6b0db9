import { METRICS } from '../../src/observability/events.ts';
import type { LabelValues } from '../../src/observability/labels.ts';
import { LOG_LINES } from '../../src/observability/log-lines.ts';
import type { EventRow, MetricRow } from '../../src/observability/metric-row.ts';
import { ATTRIBUTES, SPANS, type SpanRow } from '../../src/observability/spans.ts';

/** `docs/generated/metrics.md`, from the telemetry contract. */
export function metricsDocument(): string {
  return [
    '# Metrics, log lines and spans',
    '',
    'Written by `npm run config:write` from `src/observability/events.ts`; `npm run check` refuses a difference.',
    '',
    'The API gathers the figures of all processes of its data directory under `/metrics`. There every sample also carries `role` and `instance` (the process; a restart is a new one). Labels come from closed sets: a capability or code that Writ does not know is counted as `other`. No label is ever an id, a path or a message. How to look at them: [monitoring.md](../monitoring.md).',
    '',
    '## Metrics',
    '',
    '| metric | type | unit | shown by | what it tells |',
    '|---|---|---|---|---|',
    ...Object.entries<MetricRow>(METRICS).map(([name, { type, unit, roles, help }]) => `| \`${name}\` | ${type} | ${unit} | ${roles.join(', ')} | ${help} |`),
    '',
    '## Labels',
    '',
    '| metric | label | values |',
    '|---|---|---|',
    ...Object.entries<MetricRow>(METRICS).flatMap(([name, { labels }]) =>
      Object.entries(labels).map(([label, values]) => `| \`${name}\` | \`${label}\` | ${valuesOf(values)} |`),
    ),
    '',
    '## Buckets',
    '',
    '| metric | upper bounds |',
    '|---|---|',
    ...Object.entries<MetricRow>(METRICS).flatMap(([name, { buckets }]) => (buckets ? [`| \`${name}\` | ${buckets.join(', ')} |`] : [])),
    '',
    '## Log lines',
    '',
    'One JSON object per line on standard error, with `level`, `time`, `role`, `pid` and `msg`; `msg` is the kind of line.',
    '',
    '| msg | level | logged by | fields | what it tells |',
    '|---|---|---|---|---|',
    ...Object.values<EventRow>(LOG_LINES).map(
      ({ message, level, roles, fields, help }) => `| ${message} | ${level} | ${roles.join(', ')} | ${code(fields)} | ${help} |`,
    ),
    '',
    'Lines within a span also carry `traceId`, when traces are on ([tracing.md](../tracing.md)).',
    '',
    '## Spans',
    '',
    'What `tracing.enabled` sends to a collector. No attribute is a path, a message or a part of a payload.',
    '',
    '| span | kind | made by | attributes | what it tells |',
    '|---|---|---|---|---|',
    ...Object.values<SpanRow>(SPANS).map(
      ({ name, kind, roles, attributes, help }) => `| ${name} | ${kind} | ${roles.join(', ')} | ${code(attributes)} | ${help} |`,
    ),
    '',
    '| attribute | what it is |',
    '|---|---|',
    ...Object.entries(ATTRIBUTES).map(([name, what]) => `| \`${name}\` | ${what} |`),
    '',
  ].join('\n');
}

function valuesOf(values: LabelValues): string {
  return 'pattern' in values ? values.what : code(values);
}

function code(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}
