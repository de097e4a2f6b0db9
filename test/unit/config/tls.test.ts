import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';

/** The settings with these flags, or the first key that is refused. */
function load(flags: Readonly<Record<string, string>>) {
  return loadConfig({ flags, env: {}, dataDir: '/tmp/writ-tls-test-data' }).config;
}

describe('the settings of TLS', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ['none', {}],
    ['a rediss:// address with a CA', { 'redis.url': 'rediss://redis.example', 'redis.tls.ca_file': '/etc/ca.pem' }],
    ['a pair for Redis', { 'redis.url': 'rediss://redis.example', 'redis.tls.cert_file': '/etc/c.pem', 'redis.tls.key_file': '/etc/c.key' }],
    ['a name', { 'redis.url': 'rediss://10.0.0.1', 'redis.tls.server_name': 'redis-1.example' }],
    ['the API on a network with a pair', { 'http.host': '0.0.0.0', 'http.tls.cert_file': '/etc/c.pem', 'http.tls.key_file': '/etc/c.key' }],
    ['the API on a network without one, when that is asked for', { 'http.host': '::', 'http.allow_plain': 'true' }],
    ['the API on any loopback address', { 'http.host': '127.0.0.53' }],
    ['the API on the other loopback address', { 'http.host': '::1' }],
  ])('admit %s', (_what, flags) => {
    expect(load(flags)).toBeDefined();
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['the API on a network in the clear', { 'http.host': '0.0.0.0' }, 'http.host'],
    ['a name that may lead anywhere', { 'http.host': 'writ.example' }, 'http.host'],
    ['half a pair of the API', { 'http.tls.cert_file': '/etc/c.pem' }, 'http.tls.key_file'],
    ['half a pair for Redis', { 'redis.url': 'rediss://redis.example', 'redis.tls.key_file': '/etc/c.key' }, 'redis.tls.cert_file'],
    ['a CA for a connection in the clear', { 'redis.url': 'redis://redis.example', 'redis.tls.ca_file': '/etc/ca.pem' }, 'redis.tls'],
    ['a relative file', { 'redis.url': 'rediss://redis.example', 'redis.tls.ca_file': 'ca.pem' }, 'redis.tls.ca_file'],
    ['an address for a name', { 'redis.url': 'rediss://redis.example', 'redis.tls.server_name': '10.0.0.1' }, 'redis.tls.server_name'],
  ])('refuse %s', (_what, flags, field) => {
    expect(() => load(flags)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG', field }));
  });
});
