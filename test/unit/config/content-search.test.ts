import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LoadOptions, loadConfig, userSurroundings } from '../../../config/load.ts';
import { isWritError } from '../../../src/core/errors.ts';

let data: string;

beforeEach(() => {
  data = path.join(mkdtempSync(path.join(os.tmpdir(), 'writ-config-')), 'data');
  mkdirSync(data);
});
afterEach(() => rmSync(path.dirname(data), { recursive: true }));

const load = (flags: LoadOptions['flags'], env: LoadOptions['env'] = {}) =>
  loadConfig({ flags: flags ?? {}, env: { WRIT_DATA_DIR: data, ...env } }).config.tools;

function refused(flags: NonNullable<LoadOptions['flags']>): string | undefined {
  try {
    load(flags);
    return undefined;
  } catch (error) {
    if (isWritError(error)) return `${error.code} ${error.field}`;
    throw error;
  }
}

describe('[tools.search] and [tools.sandbox]', () => {
  it('have the defaults of the baseline: off, ugrep before rg, 200 events in 20 s', { tags: ['LSI-CFG-01'] }, () => {
    expect(load({}).search).toMatchObject({ enabled: false, binary: 'ugrep', fallback_binary: 'rg', default_timeout_ms: 20_000, default_max_results: 200 });
    expect(load({}).sandbox).toEqual({ allowed_roots: [], denied_patterns: [], include_default_denies: true, allow_absolute: false });
  });

  it('emits no stats unless it is told to', { tags: ['CFG-LSI-STAT-01'] }, () => {
    expect(load({}).search.emit_stats).toBe(false);
    expect(load({ 'tools.search.emit_stats': true }).search.emit_stats).toBe(true);
  });

  it('does not fall back to fuzzy searches unless it is told to; the levels and the length have the defaults of the specification', {
    tags: ['CFG-LSI-FUZ-01'],
  }, () => {
    expect(load({}).search).toMatchObject({ fuzzy_fallback: false, fuzzy_fallback_levels: [1, 2, 3], fuzzy_min_pattern_len: 4 });
  });

  it('reads what stands under [tools.search] only', { tags: ['CFG-LSI-IDX-01'] }, () => {
    expect(refused({ 'search.emit_stats': true })).toBe('INVALID_CONFIG search.emit_stats');
  });

  it.each([
    ['tools.search.default_timeout_ms', -1],
    ['tools.search.default_timeout_ms', 0],
    ['tools.search.default_timeout_ms', 600_001],
    ['tools.search.default_max_results', 0],
    ['tools.search.default_max_results', 1.5],
    ['tools.search.fuzzy_min_pattern_len', 0],
    ['tools.search.lanes', -1],
    ['tools.search.max_concurrent', 0],
    ['tools.search.emit_stats', 'perhaps'],
    ['tools.search.binary', ''],
    ['tools.search.binary', 'bin/rg'],
    ['tools.search.global_ignore_file', 'ignore'],
    ['tools.sandbox.allow_absolute', 2],
  ])('refuses %s = %s on load', { tags: ['CFG-LSI-VAL-01.2'] }, (key, value) => {
    expect(refused({ [key]: value })).toBe(`INVALID_CONFIG ${key}`);
  });

  it.each(['0', '5', '1,5', '-1', '1.5', 'two', '1,2,3,4,4'])('refuses fuzzy levels %s', { tags: ['CFG-LSI-VAL-01.3'] }, (levels) => {
    expect(refused({ 'tools.search.fuzzy_fallback_levels': levels })).toMatch(/^INVALID_CONFIG tools\.search\.fuzzy_fallback_levels/);
  });

  it('takes fuzzy levels 1 to 4, from the environment too', { tags: ['CFG-LSI-VAL-01.3'] }, () => {
    expect(load({}, { WRIT_TOOLS__SEARCH__FUZZY_FALLBACK_LEVELS: '1, 2,4' }).search.fuzzy_fallback_levels).toEqual([1, 2, 4]);
    expect(load({}, { WRIT_TOOLS__SEARCH__FUZZY_FALLBACK_LEVELS: '' }).search.fuzzy_fallback_levels).toEqual([]);
  });

  it.each(['srv', '/', '/srv/', '/srv/../etc', '/srv//a', '/srv/.writ-vault'])('refuses the root %s', (root) => {
    expect(refused({ 'tools.sandbox.allowed_roots': [root] })).toMatch(/^INVALID_CONFIG tools\.sandbox\.allowed_roots/);
  });

  it('keeps roots and the data directory apart, whichever lies in the other', () => {
    for (const root of [data, path.dirname(data), path.join(data, 'keys')]) expect(refused({ 'tools.sandbox.allowed_roots': [root] })).toMatch(/allowed_roots/);
    expect(refused({ 'tools.sandbox.allowed_roots': [`${data}-beside`] })).toBeUndefined();
  });
});

describe('the surroundings of a user', () => {
  it('are the PATH and the ignore file of git, where XDG says or below the home', () => {
    expect(userSurroundings({ PATH: '/a:/b', HOME: '/home/x' })).toEqual({
      searchPath: '/a:/b',
      gitIgnoreFile: '/home/x/.config/git/ignore',
      cache: { HOME: '/home/x' },
    });
    expect(userSurroundings({ XDG_CONFIG_HOME: '/c', HOME: '/home/x' })).toEqual({
      searchPath: '',
      gitIgnoreFile: '/c/git/ignore',
      cache: { HOME: '/home/x' },
    });
    expect(userSurroundings({})).toEqual({ searchPath: '', gitIgnoreFile: undefined, cache: {} });
  });
});
