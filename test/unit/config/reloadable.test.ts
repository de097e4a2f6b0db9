import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { effectOf, judgeReload } from '../../../config/reloadable.ts';
import { settingsByKey } from '../../../config/settings.ts';

const home = mkdtempSync(path.join(tmpdir(), 'writ-reloadable-'));
afterAll(() => rmSync(home, { recursive: true }));

/** A value of the same kind that differs. */
function other(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return [...value, 'another'];
  if (typeof value === 'object' && value !== null) return { ...value, another: 'one' };
  return `${String(value ?? '')}another`;
}

const load = (toml = '') => {
  writeFileSync(path.join(home, 'writ.toml'), toml);
  return loadConfig({ env: {}, dataDir: home }).config;
};

describe('what a reload makes of the settings that were read', () => {
  it('takes up what can be, keeps the rest and names it', () => {
    const now = load();
    const { config, changed, restart } = judgeReload(now, load('[log]\nlevel = "debug"\n[http]\nport = 9\n[file.base_directories]\ninbox = "/srv/inbox"'));
    expect(changed).toEqual([
      { key: 'file.base_directories', from: '{}', to: '{ inbox = "/srv/inbox" }' },
      { key: 'log.level', from: '"info"', to: '"debug"' },
    ]);
    expect(restart).toEqual(['http.port']);
    expect([config.log.level, config.file.base_directories, config.http.port]).toEqual(['debug', { inbox: '/srv/inbox' }, now.http.port]);
  });

  it('leaves a section in which nothing changed the same object', () => {
    const now = load();
    const { config } = judgeReload(now, load('[log]\nlevel = "debug"'));
    expect([config.file === now.file, config.log === now.log]).toEqual([true, false]);
  });

  it('is what it was where only settings differ that need a restart', () => {
    const now = load();
    const judged = judgeReload(now, load('[redis]\nurl = "redis://:secret@other:1"'));
    expect([judged.config === now, judged.changed, judged.restart]).toEqual([true, [], ['redis.url']]);
    expect(judgeReload(now, load())).toEqual({ config: now, changed: [], restart: [] });
  });

  it('takes up or names each single setting that differs, and never both or neither', () => {
    const now = load();
    const sections = Object.keys(now);
    for (const setting of settingsByKey().values()) {
      // Another value is put in its place as it would be read, whatever is allowed there: only the judgement is asked.
      const read = structuredClone(now) as unknown as Record<string, Record<string, unknown>>;
      const names = setting.key.split('.');
      const last = names.pop() ?? '';
      const parent = names.reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, read);
      expect([setting.key, sections.includes(names[0] ?? '')]).toEqual([setting.key, true]);
      parent[last] = other(parent[last]);
      let judged: { readonly changed: readonly { readonly key: string }[]; readonly restart: readonly string[] } | undefined;
      try {
        judged = judgeReload(now, read as never);
      } catch (error) {
        // What can be taken up is checked with what stays; such a value is refused by its name.
        expect([setting.key, String(error)]).toEqual([setting.key, expect.stringContaining(setting.key)]);
        expect(effectOf(setting.key)).toBe('reload');
      }
      if (judged === undefined) continue;
      const told = { reload: judged.changed.map(({ key }) => key), restart: judged.restart };
      const wanted = effectOf(setting.key) === 'reload' ? { reload: [setting.key], restart: [] } : { reload: [], restart: [setting.key] };
      expect(told).toEqual(wanted);
    }
  });

  it('knows for each setting whether it needs a restart', () => {
    const reloaded = [...settingsByKey().keys()].filter((key) => effectOf(key) === 'reload');
    expect(reloaded).toEqual([
      ...['lease.max_ttl_s', 'lease.default_ttl_s', 'lease.clock_skew_s', 'lease.bundles'],
      'file.base_directories',
      ...['file.filesystems', 'file.confinement', 'file.settle_s', 'file.max_run_s', 'file.max_bytes', 'file.vault_quota_bytes', 'file.hash_max_bytes'],
      ...['search.max_run_s', 'search.max_memory_mb', 'search.scopes'],
      'log.level',
    ]);
  });
});
