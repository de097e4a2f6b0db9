import { randomUUID } from 'node:crypto';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import { withOptionalPackages } from '../../core/optional-packages.ts';
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

export interface TracingOptions {
  readonly settings: TracingSettings;
  readonly role: string;
  /** Of the package. */
  readonly version: string;
  /** Attributes of the process that its surroundings give. */
  readonly resource: Readonly<Record<string, string>>;
  /** What every request to the collector carries. */
  readonly headers: () => Promise<Record<string, string>>;
  readonly log: Logger | undefined;
  /** `undefined` for a command line, which shows no figures. */
  readonly metrics: Metrics | undefined;
}

/** The settings of `[tracing]`. */
export interface TracingSettings {
  readonly enabled: boolean;
  readonly endpoint: string;
  readonly sample_ratio: number;
  readonly timeout_ms: number;
  readonly max_spans: number;
}

const OFF: Tracing = {
  tracer: undefined,
  part: lifecycle(
    () => undefined,
    () => undefined,
  ),
};

/** Tracing as the settings want it. Nothing of OpenTelemetry is loaded while it is off. A collector that is away keeps nobody from working. */
export async function openTracing({ settings, role, version, resource, headers, log, metrics }: TracingOptions): Promise<Tracing> {
  const { enabled, endpoint, sample_ratio: sampleRatio, timeout_ms: timeoutMs, max_spans: maxSpans } = settings;
  if (!enabled) return OFF;
  const { createExportingTracer } = await withOptionalPackages('tracing', 'tracing.enabled', () => import('./open.ts'));
  let failing = false;
  const tracer = createExportingTracer({
    role,
    version,
    resource,
    instance: randomUUID(),
    sampleRatio,
    endpoint,
    timeoutMs,
    maxSpans,
    headers,
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
