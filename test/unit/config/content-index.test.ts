import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LoadOptions, loadConfig } from '../../../config/load.ts';
import { isWritError } from '../../../src/core/errors.ts';

let data: string;

beforeEach(() => {
  data = path.join(mkdtempSync(path.join(os.tmpdir(), 'writ-config-')), 'data');
  mkdirSync(data);
});
afterEach(() => rmSync(path.dirname(data), { recursive: true }));

const load = (flags: NonNullable<LoadOptions['flags']> = {}) => loadConfig({ flags, env: { WRIT_DATA_DIR: data } }).config.tools.search;

function refused(flags: NonNullable<LoadOptions['flags']>): string | undefined {
  try {
    load(flags);
    return undefined;
  } catch (error) {
    if (isWritError(error)) return `${error.code} ${error.field}`;
    throw error;
  }
}

const under = (values: Readonly<Record<string, string | number | boolean | string[]>>): NonNullable<LoadOptions['flags']> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key === 'allowed_roots' ? 'tools.sandbox.allowed_roots' : `tools.search.${key}`, value] as const),
  );

describe('the settings of the index', () => {
  it('is off unless it is told to be on, kept in SQLite at the default place for the allowed roots', { tags: ['LSI-CFG-02'] }, () => {
    expect(load()).toMatchObject({ index_mode: 'off', index_storage: 'sqlite', index_path: '', index_roots: [] });
    expect(load({ 'tools.search.index_mode': 'auto' }).index_mode).toBe('auto');
  });

  it.each([
    ['thresholds of auto', { index_auto_threshold_files: 2000, index_auto_threshold_bytes: 500_000_000, index_auto_reeval_calls: 100 }],
    ['budgets of a build', { index_build_timeout_ms: 300_000, index_build_max_files: 0, index_build_max_bytes: 0 }],
    ['throttles of a build', { index_build_max_cpu_percent: 50, index_build_throttle_ms: 10, index_idle_boost_ms: 1000 }],
    ['what a shutdown does', { index_retry_on_failure: false, index_checkpoint_on_shutdown: true, index_shutdown_timeout_ms: 5000 }],
    ['the watch', { index_watch: true, index_watch_debounce_ms: 250 }],
    ['the limits', { index_max_db_bytes: 1_073_741_824, index_max_indexes: 10, index_lock_timeout_ms: 250 }],
    ['the integrity check', { index_integrity_check: 'on_open', index_integrity_period_calls: 200 }],
    ['the budgets of a search', { reconcile_max_files: 50_000, reconcile_max_ms: 2000, index_maint_budget_fraction: 0.25 }],
  ])(
    'has the defaults of the specification: %s',
    { tags: ['LSI-CFG-03', 'LSI-CFG-04', 'LSI-CFG-05', 'LSI-CFG-06', 'LSI-CFG-07', 'LSI-CFG-08', 'LSI-CFG-09', 'LSI-CFG-10'] },
    (_, expected) => {
      expect(load()).toMatchObject(expected);
    },
  );

  it('tokenizes by the defaults of Appendix F', { tags: ['LSI-BLOOM-CFG-01', 'LSI-BLOOM-CFG-02', 'LSI-BLOOM-CFG-03'] }, () => {
    expect(load()).toMatchObject({ bloom_ngram_k: 3, bloom_target_fp_rate: 0.01, index_max_tokenized_bytes: 1_048_576 });
  });

  it.each([
    ['index_mode', 'perhaps'],
    ['index_storage', 'redis'],
    ['index_integrity_check', 'always'],
  ])('refuses %s = %s on load', { tags: ['CFG-LSI-VAL-01.1'] }, (key, value) => {
    expect(refused(under({ [key]: value }))).toBe(`INVALID_CONFIG tools.search.${key}`);
  });

  it.each([
    ['index_auto_threshold_files', -1],
    ['index_auto_threshold_bytes', -1],
    ['index_auto_reeval_calls', 0],
    ['index_build_timeout_ms', 0],
    ['index_build_max_files', 1.5],
    ['index_build_max_bytes', -1],
    ['index_build_max_cpu_percent', 0],
    ['index_build_max_cpu_percent', 101],
    ['index_build_throttle_ms', -1],
    ['index_idle_boost_ms', -1],
    ['index_shutdown_timeout_ms', -1],
    ['index_watch_debounce_ms', -1],
    ['index_max_db_bytes', 1000],
    ['index_max_indexes', 0],
    ['index_lock_timeout_ms', -1],
    ['index_integrity_period_calls', 0],
    ['index_max_tokenized_bytes', 1],
    ['reconcile_max_files', 0],
    ['reconcile_max_ms', 0],
    ['index_maint_budget_fraction', -0.1],
    ['index_maint_budget_fraction', 1.5],
    ['bloom_ngram_k', 0],
    ['bloom_ngram_k', 9],
    ['bloom_target_fp_rate', 0],
    ['bloom_target_fp_rate', 1],
    ['index_watch', 'perhaps'],
  ])('refuses %s = %s on load', { tags: ['CFG-LSI-VAL-01.2'] }, (key, value) => {
    expect(refused(under({ [key]: value }))).toBe(`INVALID_CONFIG tools.search.${key}`);
  });

  it.each(['cache', '/', '/var/cache/', '/var/../cache'])('refuses the index path %s', (place) => {
    expect(refused(under({ index_path: place }))).toBe('INVALID_CONFIG tools.search.index_path');
  });

  it('reads what stands under [tools.search] only', { tags: ['CFG-LSI-IDX-01'] }, () => {
    expect(refused({ 'search.index_mode': 'on' })).toBe('INVALID_CONFIG search.index_mode');
    expect(refused({ 'index.index_mode': 'on' })).toMatch(/^INVALID_CONFIG index/);
  });
});

describe('settings of the index that make no sense together', () => {
  it('keeps the index outside of what is searched, whether that is an allowed root or an indexed one', () => {
    const on = { index_mode: 'on', index_path: '/srv/a/cache' };
    expect(refused(under({ ...on, allowed_roots: ['/srv/a'] }))).toBe('INVALID_CONFIG tools.search.index_path');
    expect(refused(under({ ...on, index_roots: ['/srv/a/cache'] }))).toBe('INVALID_CONFIG tools.search.index_path');
    expect(refused(under({ ...on, allowed_roots: ['/srv/a/cache-of-mine', '/srv/b'] }))).toBeUndefined();
  });

  it('has room for an index of the size from which auto makes one', () => {
    const room = { index_max_db_bytes: 1_048_576 };
    expect(refused(under({ index_mode: 'auto', ...room }))).toBe('INVALID_CONFIG tools.search.index_max_db_bytes');
    expect(refused(under({ index_mode: 'auto', ...room, index_auto_threshold_bytes: 6_553_600 }))).toBeUndefined();
    expect(refused(under({ index_mode: 'auto', ...room, index_auto_threshold_bytes: 6_553_601 }))).toBe('INVALID_CONFIG tools.search.index_max_db_bytes');
  });

  it('does not regard the thresholds of auto in any other mode', { tags: ['CFG-LSI-IDX-02'] }, () => {
    expect(refused(under({ index_mode: 'on', index_max_db_bytes: 1_048_576 }))).toBeUndefined();
  });

  it('has a place for the index of every root', () => {
    const roots = { index_roots: ['/srv/a', '/srv/b'], index_mode: 'on' };
    expect(refused(under({ ...roots, index_max_indexes: 1 }))).toBe('INVALID_CONFIG tools.search.index_max_indexes');
    expect(refused(under({ ...roots, index_max_indexes: 2 }))).toBeUndefined();
    expect(refused(under({ index_mode: 'on', allowed_roots: ['/srv/a', '/srv/b'], index_max_indexes: 1 }))).toBeUndefined();
  });

  it('indexes nothing that nobody may search', { tags: ['FR-LSI-IDX-ROOT-01.3'] }, () => {
    const on = { index_mode: 'on', allowed_roots: ['/srv/a', '/srv/b'] };
    expect(refused(under({ ...on, index_roots: ['/etc'] }))).toBe('INVALID_CONFIG tools.search.index_roots');
    expect(refused(under({ ...on, index_roots: ['/srv/a/deep', '/srv/abc'] }))).toBe('INVALID_CONFIG tools.search.index_roots');
    expect(refused(under({ ...on, index_roots: ['/srv/a/deep', '/srv/b'] }))).toBeUndefined();
  });

  it('names each root once, and keeps roots and the data directory apart', () => {
    expect(refused(under({ index_mode: 'on', index_roots: ['/srv/a', '/srv/a'] }))).toBe('INVALID_CONFIG tools.search.index_roots');
    expect(refused(under({ index_roots: [path.join(data, 'keys')] }))).toBe('INVALID_CONFIG tools.search.index_roots');
  });

  it('says nothing of all this while the index is off', () => {
    expect(refused(under({ index_path: '/srv/a/cache', allowed_roots: ['/srv/a'], index_max_db_bytes: 1_048_576 }))).toBeUndefined();
  });
});
