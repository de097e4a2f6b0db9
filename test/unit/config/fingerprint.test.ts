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

  it('takes users of their own in Redis for the same server, and another password, server or user of everybody for a change', () => {
    const url = (user: string, host = 'h') => load({ 'redis.url': `redis://${user}@${host}:6379` });
    expect(differences(url('writ-api:a'), url('writ-worker:b'))).toEqual([]);
    for (const other of [url('writ-api:b'), url('writ-api:a', 'g'), url('writ-worker:b', 'g'), url(':a')])
      expect(differences(url('writ-api:a'), other)).toEqual(['redis.url']);
  });

  it('does not hold the values: a password in redis.url stays where it is', () => {
    expect(JSON.stringify(load({ 'redis.url': 'redis://:hunter2@127.0.0.1:6379' }))).not.toContain('hunter2');
  });
});
