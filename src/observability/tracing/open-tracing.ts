import { randomUUID } from 'node:crypto';
import { environmentSecret } from '../../../config/load.ts';
import { packageVersion } from '../../../config/package.ts';
import type { Config } from '../../../config/schema.ts';
import { readSecrets } from '../../adapters/http-tool/secrets.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import { LOG_LINES } from '../log-lines.ts';
import { type Logger, showTraces } from '../logging.ts';
import type { Metrics } from '../metrics.ts';
import type { Tracer } from './tracer.ts';

export interface Tracing {
  /** `undefined`: tracing is off. */
  readonly tracer: Tracer | undefined;
  /** To be stopped last: sends what waits, for at most `tracing.timeout_ms`. */
  readonly part: Lifecycle;
}

export interface TracingWiring {
  readonly config: Config;
  readonly role: string;
  readonly log: Logger | undefined;
  /** `undefined` for a command line, which shows no figures. */
  readonly metrics: Metrics | undefined;
}

const OFF: Tracing = {
  tracer: undefined,
  part: lifecycle(
    () => undefined,
    () => undefined,
  ),
};

/** Tracing as the settings want it. Nothing of OpenTelemetry is loaded while it is off. A collector that is away keeps nobody from working. */
export async function openTracing({ config, role, log, metrics }: TracingWiring): Promise<Tracing> {
  const { enabled, endpoint, sample_ratio: sampleRatio, timeout_ms: timeoutMs, max_spans: maxSpans, headers } = config.tracing;
  if (!enabled) return OFF;
  const { createExportingTracer } = await import('./open.ts');
  let failing = false;
  const tracer = createExportingTracer({
    role,
    version: packageVersion(),
    instance: randomUUID(),
    sampleRatio,
    endpoint,
    timeoutMs,
    maxSpans,
    headers: () => headerValues(headers),
    onExported(spans) {
      failing = false;
      metrics?.inc('writ_trace_spans_exported_total', {}, spans);
    },
    onDropped(reason, spans, error) {
      metrics?.inc('writ_trace_spans_dropped_total', { reason }, spans);
      // Told once for each time that the collector goes away; the metric tells how much.
      if (reason === 'export_failed' && !failing) log?.warn({ err: error }, LOG_LINES.tracing.message);
      failing ||= reason === 'export_failed';
    },
  });
  if (log !== undefined) showTraces(log, () => tracer.active?.traceId);
  return {
    tracer,
    part: lifecycle(
      () => undefined,
      () => tracer.stop(),
    ),
  };
}

async function headerValues(references: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const read = await readSecrets(references, new Set(Object.keys(references)), environmentSecret);
  if (!read.ok) throw new Error(`tracing.headers: ${read.message}`);
  return Object.fromEntries(read.secrets);
}
