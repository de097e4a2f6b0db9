import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig, traceResource } from '../../../config/load.ts';
import { withResource } from '../../../src/observability/tracing/resource.ts';

describe('variables of OpenTelemetry', () => {
  let dataDir = '';
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'writ-otel-'));
  });
  afterAll(() => rmSync(dataDir, { recursive: true }));

  const load = (env: Record<string, string>, flags: Record<string, string> = { 'tracing.enabled': 'true' }) => loadConfig({ dataDir, env, flags });
  const tracing = (env: Record<string, string>, flags?: Record<string, string>) => load(env, flags).config.tracing;

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example' }, 'https://otel.example/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example/base/' }, 'https://otel.example/base/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://otel.example/spans' }, 'https://otel.example/spans'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://a.example/t', OTEL_EXPORTER_OTLP_ENDPOINT: 'https://b.example' }, 'https://a.example/t'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, 'http://127.0.0.1:4318/v1/traces'],
  ])('say where spans go: %o', (env, endpoint) => {
    expect(tracing(env).endpoint).toBe(endpoint);
  });

  it('stand below what the settings say, and are named as the source where they count', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example', OTEL_EXPORTER_OTLP_TIMEOUT: '700' };
    const loaded = load(env, { 'tracing.enabled': 'true', 'tracing.endpoint': 'https://mine.example/v1/traces' });
    expect(loaded.config.tracing).toMatchObject({ endpoint: 'https://mine.example/v1/traces', timeout_ms: 700 });
    expect(loaded.sources.get('tracing.timeout_ms')).toEqual({ layer: 'environment', place: 'OTEL_EXPORTER_OTLP_TIMEOUT' });
    expect(() => load({ OTEL_EXPORTER_OTLP_TIMEOUT: 'soon' })).toThrow(/OTEL_EXPORTER_OTLP_TIMEOUT/);
  });

  it('neither switch tracing on, nor keep a program from starting whose tracing is off', () => {
    const shared = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317', OTEL_EXPORTER_OTLP_TIMEOUT: 'soon', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' };
    expect(tracing(shared, {})).toMatchObject({ enabled: false, endpoint: 'http://127.0.0.1:4318/v1/traces' });
    expect(() => tracing(shared)).toThrow(/OTEL_EXPORTER_OTLP_ENDPOINT/);
  });

  it.each([{ OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_TRACES_EXPORTER: 'none' }])('switch tracing off over every setting: %o', (env) => {
    writeFileSync(join(dataDir, 'writ.toml'), '[tracing]\nenabled = true\n');
    expect(tracing({}, {}).enabled).toBe(true);
    expect(tracing(env, {}).enabled).toBe(false);
    expect(tracing(env).enabled).toBe(false);
    rmSync(join(dataDir, 'writ.toml'));
  });

  it.each([
    ['always_off', undefined, 0],
    ['parentbased_always_on', undefined, 1],
    ['traceidratio', '0.25', 0.25],
    ['parentbased_traceidratio', undefined, 1],
    ['jaeger_remote', '0.5', 1],
  ])('say which share is recorded: %s %s', (sampler, argument, ratio) => {
    expect(tracing({ OTEL_TRACES_SAMPLER: sampler, ...(argument && { OTEL_TRACES_SAMPLER_ARG: argument }) }).sample_ratio).toBe(ratio);
  });

  it('send no headers in the clear beyond this host', () => {
    const env = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=x' };
    expect(tracing({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example' }).enabled).toBe(true);
    expect(tracing(env).enabled).toBe(true);
    expect(() => tracing({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel.example' })).toThrow(/OTEL_EXPORTER_OTLP_HEADERS/);
  });

  it('name the service and its attributes; without a name each role is a service of its own', () => {
    const ours = { role: 'worker', version: '1.2.3', instance: 'one' };
    const of = (env: Record<string, string>) => withResource(traceResource(env), ours);
    const fixed = { 'service.version': '1.2.3', 'service.instance.id': 'one', 'writ.role': 'worker' };
    expect(of({})).toEqual({ ...fixed, 'service.name': 'writ-worker', 'service.namespace': 'writ' });
    const attributes = 'deployment.environment=prod, service.namespace=shop,note=a%2Cb,writ.role=api,service.name=low';
    expect(of({ OTEL_RESOURCE_ATTRIBUTES: attributes })).toEqual({
      ...fixed,
      'deployment.environment': 'prod',
      'service.namespace': 'shop',
      'service.name': 'low',
      note: 'a,b',
    });
    expect(of({ OTEL_RESOURCE_ATTRIBUTES: attributes, OTEL_SERVICE_NAME: 'high' })['service.name']).toBe('high');
    for (const broken of ['a=%', 'a', 'a=b=c', '=b']) expect(traceResource({ OTEL_RESOURCE_ATTRIBUTES: `x=y,${broken}` })).toEqual({});
  });
});
