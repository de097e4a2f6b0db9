import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';

const load = (flags: Readonly<Record<string, string>>) => loadConfig({ flags, env: {}, dataDir: '/tmp/writ-tracing-test-data' }).config.tracing;
const SECRET = { 'tracing.headers.authorization': 'file:/run/secrets/otlp' };

describe('the settings of traces', () => {
  it('are off, and mean a collector on this host', () => {
    expect(load({})).toMatchObject({ enabled: false, endpoint: 'http://127.0.0.1:4318/v1/traces', headers: {} });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['a secret for a collector on this host', SECRET],
    ['a secret over TLS', { ...SECRET, 'tracing.endpoint': 'https://otel.example/v1/traces' }],
    ['a collector on a network without a secret', { 'tracing.endpoint': 'http://collector:4318/v1/traces' }],
    ['a secret in the environment', { 'tracing.headers.x-key': 'env:OTLP_KEY' }],
  ])('admit %s', (_what, flags) => {
    expect(load({ 'tracing.enabled': 'true', ...flags }).enabled).toBe(true);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['a secret in the clear on a network', { ...SECRET, 'tracing.endpoint': 'http://collector:4318/v1/traces' }, 'tracing.endpoint'],
    ['a secret in the settings', { 'tracing.headers.authorization': 'Bearer x' }, 'tracing.headers.authorization'],
    ['a password in the address', { 'tracing.endpoint': 'http://u:p@127.0.0.1/v1/traces' }, 'tracing.endpoint'],
    ['what is no address', { 'tracing.endpoint': 'collector:4318' }, 'tracing.endpoint'],
    ['more than all', { 'tracing.sample_ratio': '1.5' }, 'tracing.sample_ratio'],
  ])('refuse %s', (_what, flags, field) => {
    expect(() => load(flags)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', field }));
  });
});
