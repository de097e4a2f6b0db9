import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../config/fingerprint.ts';
import { loadConfig } from '../../../config/load.ts';
import { settingsByKey } from '../../../config/settings.ts';
import { differences } from '../../../src/core/fingerprint.ts';

const load = (flags: Readonly<Record<string, string>> = {}) => fingerprintOf(loadConfig({ flags, env: {}, dataDir: '/nowhere/data' }).config);

describe('the fingerprint of settings', () => {
  it('has every setting, and is the same for the same values', () => {
    expect(Object.keys(load())).toEqual([...settingsByKey().keys()]);
    expect(differences(load(), load())).toEqual([]);
  });

  it('names what differs: single values, lists and tables', () => {
    const changed = load({ 'worker.drain_ms': '7000', 'http.allowed_hosts': 'one.example', 'file.base_directories.inbox': '/srv/inbox' });
    expect(differences(load(), changed).sort()).toEqual(['file.base_directories', 'http.allowed_hosts', 'worker.drain_ms']);
  });

  it('names a setting that one side does not know', () => {
    expect(differences({ a: '1' }, { a: '1', b: '2' })).toEqual(['b']);
    expect(differences({ a: '1', b: '2' }, { a: '1' })).toEqual(['b']);
  });

  it('does not hold the values: a password in redis.url stays where it is', () => {
    expect(JSON.stringify(load({ 'redis.url': 'redis://:hunter2@127.0.0.1:6379' }))).not.toContain('hunter2');
  });
});
