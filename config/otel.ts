import { isLoopback } from '../src/core/loopback.ts';
import type { Fault } from './issues.ts';
import { isTable, type Layer, nest } from './layers.ts';

/**
 * What OpenTelemetry's own variables say (decision D246). They count only while `tracing.enabled` is set by a setting of
 * ours: an environment that is shared with other programs neither makes Writ send nor keeps it from starting. Certificates,
 * compression and headers are read by the exporter itself.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** Below the settings that somebody has written: over the defaults only. */
export function otelLayer(env: Environment): Layer {
  const found = SETTINGS.flatMap(({ key, read, variables }) => {
    const name = variables.find((one) => variable(env, one) !== undefined);
    const value = name === undefined ? undefined : read(variable(env, name) ?? '', name, env);
    return name === undefined || value === undefined ? [] : [{ key, name, value }];
  });
  const places = new Map(found.map(({ key, name }) => [key, name]));
  return {
    values: nest(found.map(({ key, value }) => [key, value] as const)),
    sourceOf: (key) => ({ layer: 'environment', place: places.get(key) ?? 'OTEL_*' }),
  };
}

interface OtelSetting {
  readonly key: string;
  /** The first that is set counts. */
  readonly variables: readonly string[];
  readonly read: (text: string, name: string, env: Environment) => string | number | undefined;
}

const TRACES_ENDPOINT = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
const SETTINGS: readonly OtelSetting[] = [
  {
    key: 'tracing.endpoint',
    variables: [TRACES_ENDPOINT, 'OTEL_EXPORTER_OTLP_ENDPOINT'],
    // The general one is the base of all signals.
    read: (text, name) => (name === TRACES_ENDPOINT ? text : `${text.replace(/\/$/, '')}/v1/traces`),
  },
  { key: 'tracing.timeout_ms', variables: ['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT'], read: Number },
  { key: 'tracing.sample_ratio', variables: ['OTEL_TRACES_SAMPLER'], read: (text, _name, env) => SAMPLERS.get(text)?.(env) },
];

/** A sampler that nobody here knows counts as not set, as the specification of OpenTelemetry wants it. */
const SAMPLERS: ReadonlyMap<string, (env: Environment) => number> = new Map(
  ['', 'parentbased_'].flatMap((prefix) => [
    [`${prefix}always_on`, () => 1] as const,
    [`${prefix}always_off`, () => 0] as const,
    [`${prefix}traceidratio`, (env: Environment) => Number(variable(env, 'OTEL_TRACES_SAMPLER_ARG') ?? 1)] as const,
  ]),
);

/** The switch-off: over every setting, as whoever sets it expects. */
export function otelOffLayer(env: Environment): Layer {
  const name = variable(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true' ? 'OTEL_SDK_DISABLED' : 'OTEL_TRACES_EXPORTER';
  const off = name === 'OTEL_SDK_DISABLED' || variable(env, name) === 'none';
  return { values: off ? { tracing: { enabled: false } } : {}, sourceOf: () => ({ layer: 'environment', place: name }) };
}

/** Headers of the environment are secrets like those of the settings. */
export function otelFaults({ enabled, endpoint }: { readonly enabled: boolean; readonly endpoint: string }, env: Environment): readonly Fault[] {
  const headers = ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS'].find((name) => variable(env, name) !== undefined);
  if (!enabled || headers === undefined) return [];
  const { protocol, hostname } = new URL(endpoint);
  if (protocol !== 'http:' || isLoopback(hostname)) return [];
  return [{ key: 'tracing.endpoint', message: `must be https:// beyond this host while ${headers} is set: it holds secrets` }];
}

export function isTracingWanted({ tracing }: Readonly<Record<string, unknown>>): boolean {
  return isTable(tracing) && tracing['enabled'] === true;
}

/**
 * Attributes of the resource that spans come from, `service.name` among them when the environment gives one. A text of
 * OTEL_RESOURCE_ATTRIBUTES that is none counts as not set, whole.
 */
export function otelResource(env: Environment): Readonly<Record<string, string>> {
  const name = variable(env, 'OTEL_SERVICE_NAME');
  return { ...attributesOf(variable(env, 'OTEL_RESOURCE_ATTRIBUTES') ?? ''), ...(name === undefined ? {} : { 'service.name': name }) };
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        const [, key = '', value = ''] = /^\s*([^=\s]+)\s*=\s*([^=]*?)\s*$/.exec(pair) ?? [];
        if (key === '') throw new URIError(pair);
        return [decodeURIComponent(key), decodeURIComponent(value)] as const;
      }),
    );
  } catch (error) {
    if (error instanceof URIError) return {};
    throw error;
  }
}

/** An empty variable is one that is not set, as OpenTelemetry has it. */
function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
