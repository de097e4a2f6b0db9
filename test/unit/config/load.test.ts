import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LoadOptions, loadConfig } from '../../../config/load.ts';
import { settingsByKey } from '../../../config/settings.ts';
import { isWritError, type WritError } from '../../../src/core/errors.ts';

let home: string;
let data: string;

beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'writ-config-'));
  data = path.join(home, 'data');
  mkdirSync(data);
});
afterEach(() => rmSync(home, { recursive: true }));

const load = (options: LoadOptions = {}) => loadConfig({ ...options, env: { WRIT_DATA_DIR: data, ...options.env } });
const ownFile = (text: string) => writeFileSync(path.join(data, 'writ.toml'), text);

function refusal(action: () => unknown): WritError {
  try {
    action();
  } catch (error) {
    if (isWritError(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('layers', () => {
  it('answers the defaults when nobody says anything', () => {
    const { config, sources, dataDir } = load();
    expect(config.worker).toMatchObject({ file_concurrency: 64, lock_ms: 9000, renew_ms: 3000, stalled_ms: 3000, drain_ms: 30_000 });
    expect(config.lease).toEqual({ bundles: true, issuer: 'writ-kernel', max_ttl_s: 2_592_000, default_ttl_s: 86_400, clock_skew_s: 60 });
    expect(config.file.base_directories).toEqual({});
    expect(sources.get('redis.port')).toEqual({ layer: 'default', place: 'default' });
    expect(dataDir).toBe(data);
  });

  it('lets flags win over the environment, the environment over the own file, the own file over defaults', () => {
    ownFile('[redis]\nport = 1111\nmax_memory_mb = 100\nhigh_water = 0.5\n');
    const { config, sources } = load({ env: { WRIT_REDIS__PORT: '2222', WRIT_REDIS__MAX_MEMORY_MB: '200' }, flags: { 'redis.port': '3333' } });
    expect(config.redis).toMatchObject({ port: 3333, max_memory_mb: 200, high_water: 0.5, append_only: true });
    expect(sources.get('redis.port')).toEqual({ layer: 'flag', place: 'flag redis.port' });
    expect(sources.get('redis.max_memory_mb')).toEqual({ layer: 'environment', place: 'WRIT_REDIS__MAX_MEMORY_MB' });
    expect(sources.get('redis.high_water')).toEqual({ layer: 'file', place: `${path.join(data, 'writ.toml')}:4` });
    expect(sources.get('redis.append_only')?.layer).toBe('default');
  });

  it('reads the file named with --config instead of the one in the data directory', () => {
    ownFile('[log]\nlevel = "debug"\n');
    writeFileSync(path.join(home, 'other.toml'), '[redis]\nport = 7\n');
    const { config } = load({ configFile: 'other.toml', cwd: home });
    expect([config.redis.port, config.log.level]).toEqual([7, 'info']);
  });

  it('refuses a --config file that is not there', () => {
    expect(refusal(() => load({ configFile: 'absent.toml', cwd: home }))).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('absent.toml'),
    });
  });

  it('refuses an own file that is a link to nothing or to itself, for somebody has settings there', () => {
    for (const target of ['gone.toml', 'writ.toml']) {
      symlinkSync(target, path.join(data, 'writ.toml'));
      expect(refusal(() => load())).toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringContaining(`cannot read ${path.join(data, 'writ.toml')}`) });
      rmSync(path.join(data, 'writ.toml'));
    }
  });

  it('refuses an own file that is not UTF-8, with its line, instead of other names than were meant', () => {
    writeFileSync(path.join(data, 'writ.toml'), Buffer.from('[file.base_directories]\nmain = "/srv/caf\u00e9"\n', 'latin1'));
    expect(refusal(() => load())).toMatchObject({ code: 'INVALID_CONFIG', message: `${path.join(data, 'writ.toml')}:2: is not UTF-8` });
  });

  it('merges entries of a table from several layers', () => {
    ownFile('[file.base_directories]\ninbox = "/srv/inbox"\nshared = "/srv/shared"\n');
    const { config, sources } = load({ env: { WRIT_FILE__BASE_DIRECTORIES__OUTBOX: '/srv/outbox', WRIT_FILE__BASE_DIRECTORIES__SHARED: '/mnt/shared' } });
    expect(config.file.base_directories).toEqual({ inbox: '/srv/inbox', outbox: '/srv/outbox', shared: '/mnt/shared' });
    expect(sources.get('file.base_directories.inbox')?.place).toBe(`${path.join(data, 'writ.toml')}:2`);
    expect(sources.get('file.base_directories.shared')?.place).toBe('WRIT_FILE__BASE_DIRECTORIES__SHARED');
  });

  it('reads words from the environment as what the setting is', () => {
    const { config } = load({
      env: {
        WRIT_REDIS__APPEND_ONLY: 'FALSE',
        WRIT_REDIS__HIGH_WATER: '0.75',
        WRIT_FILE__FILESYSTEMS: 'ext4, xfs',
        WRIT_LEASE__ISSUER: '12',
        WRIT_BOARD__REGRANT: '0',
      },
    });
    expect([config.redis.append_only, config.redis.high_water, config.file.filesystems, config.lease.issuer, config.board.regrant]).toEqual([
      false,
      0.75,
      ['ext4', 'xfs'],
      '12',
      false,
    ]);
  });

  it('freezes the result to its last leaf', () => {
    const { config } = load();
    expect(
      Object.isFrozen(config) && Object.isFrozen(config.file) && Object.isFrozen(config.file.filesystems) && Object.isFrozen(config.file.base_directories),
    ).toBe(true);
  });

  it('is told where a section stands already when an example of the pages was pasted below it', () => {
    ownFile('[redis]\nport = 7000\n\n[tools.search]\n[redis]\nhigh_water = 0.5\n');
    expect(refusal(() => load())).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(/writ\.toml:5: the section \[redis\] stands in line 1 already: put its keys there$/),
    });
  });

  it('takes no setting with a single underscore for a variable of somebody else', () => {
    const names = [...settingsByKey().keys()].map((key) => `WRIT_${key.replaceAll('.', '_').toUpperCase()}`);
    for (const name of names) expect(refusal(() => load({ env: { [name]: '1' } })).message).toContain(`(${name})`);
  });

  it('reads no variable that is not a setting', () => {
    expect(load({ env: { PATH: '/bin', WRIT_TALLY_FILE: '/tmp/x', OTHER__PORT: '1' } }).config.redis.port).toBe(0);
  });
});

describe('refusals name the key and the place', () => {
  const rows: readonly { title: string; file?: string; env?: Record<string, string>; flags?: LoadOptions['flags']; field: string; message: RegExp }[] = [
    {
      title: 'an unknown key in a file',
      file: '[redis]\n\nprot = 1',
      field: 'redis.prot',
      message: /^redis\.prot: is not a setting; did you mean redis\.port\? \(.*writ\.toml:3\)$/,
    },
    { title: 'an unknown section in a file', file: '[nonsense]\na = 1', field: 'nonsense', message: /^nonsense: is not a setting \(.*writ\.toml:1\)$/ },
    { title: 'a dotted key in a file', file: 'redis.port = 70000', field: 'redis.port', message: /must be at most 65535 \(.*writ\.toml:1\)$/ },
    { title: 'a key in an inline table', file: 'redis = { port = "x" }', field: 'redis.port', message: /must be a number \(.*writ\.toml:1\)$/ },
    { title: 'a wrong type in a file', file: '[board]\nregrant = "yes"', field: 'board.regrant', message: /must be true or false \(.*writ\.toml:2\)$/ },
    { title: 'a fraction for a whole number', file: '[redis]\nport = 1.5', field: 'redis.port', message: /must be a whole number/ },
    { title: 'a date for text', file: '[lease]\nissuer = 2026-01-01', field: 'lease.issuer', message: /must be text in quotes/ },
    {
      title: 'a key that is missing',
      file: '[search.scopes.b]\nkind = "files"',
      field: 'search.scopes.b.path',
      message: /^search\.scopes\.b\.path: is missing \(.*writ\.toml:1\)$/,
    },
    { title: 'a value for a section', file: 'redis = 3', field: 'redis', message: /must be a table \(.*writ\.toml:1\)$/ },
    { title: 'an unknown word', file: '[file]\nconfinement = "off"', field: 'file.confinement', message: /must be one of auto, openat2, walk/ },
    {
      title: 'a value too small in the environment',
      env: { WRIT_REDIS__MAX_MEMORY_MB: '1' },
      field: 'redis.max_memory_mb',
      message: /must be at least 16 \(WRIT_REDIS__MAX_MEMORY_MB\)$/,
    },
    { title: 'a word that is no number', env: { WRIT_REDIS__PORT: 'six' }, field: 'redis.port', message: /must be a whole number \(WRIT_REDIS__PORT\)$/ },
    {
      title: 'a word that is no boolean',
      env: { WRIT_BOARD__REGRANT: 'maybe' },
      field: 'board.regrant',
      message: /must be true or false \(WRIT_BOARD__REGRANT\)$/,
    },
    { title: 'an unknown variable', env: { WRIT_REDIS__PROT: '1' }, field: 'redis.prot', message: /is not a setting \(WRIT_REDIS__PROT\)$/ },
    { title: 'a variable with one underscore', env: { WRIT_REDIS_PORT: '1' }, field: 'redis.port', message: /write WRIT_REDIS__PORT, .* \(WRIT_REDIS_PORT\)$/ },
    { title: 'a whole table in one variable', env: { WRIT_FILE__BASE_DIRECTORIES: '/srv' }, field: 'file.base_directories', message: /one entry at a time/ },
    { title: 'an unknown flag', flags: { 'redis.prot': '1' }, field: 'redis.prot', message: /is not a setting \(flag redis\.prot\)$/ },
    { title: 'a flag out of range', flags: { 'redis.port': 70_000 }, field: 'redis.port', message: /must be at most 65535 \(flag redis\.port\)$/ },
    { title: 'a prototype key', file: '["__proto__"]\na = 1', field: '__proto__', message: /is not a setting/ },
    {
      title: 'a default that no longer fits',
      file: '[lease]\nmax_ttl_s = 8000000',
      field: 'ledger.retention_s',
      message: /must be at least lease\.max_ttl_s \(8000000\) \(default\)$/,
    },
    {
      title: 'a default lifetime above the maximum',
      file: '[lease]\nmax_ttl_s = 60',
      field: 'lease.default_ttl_s',
      message: /must be at most lease\.max_ttl_s/,
    },
    {
      title: 'a renewal that comes too late',
      env: { WRIT_WORKER__LOCK_MS: '1500' },
      field: 'worker.renew_ms',
      message: /must be at most half of worker\.lock_ms \(1500\)/,
    },
    {
      title: 'a bad address',
      env: { WRIT_REDIS__URL: 'http://x' },
      field: 'redis.url',
      message: /redis:\/\/, rediss:\/\/ or unix:\/\/ address \(WRIT_REDIS__URL\)$/,
    },
    {
      title: 'a bad id of a base directory',
      file: '[file.base_directories]\nIn = "/a"',
      field: 'file.base_directories.In',
      message: /an id must be .*writ\.toml:2\)$/,
    },
  ];

  it.each(rows)('$title', ({ file, env, flags, field, message }) => {
    if (file !== undefined) ownFile(file);
    const error = refusal(() => load({ ...(env === undefined ? {} : { env }), ...(flags === undefined ? {} : { flags }) }));
    expect([error.code, error.field]).toEqual(['INVALID_CONFIG', field]);
    expect(error.message).toMatch(message);
  });

  it('a file that is not TOML, with its line', () => {
    ownFile('[redis]\nport = = 1\n');
    expect(refusal(() => load()).message).toMatch(/writ\.toml:2: /);
  });

  it('all faults at once, one line each', () => {
    ownFile('[redis]\nport = -1\nurl = 3\n[log]\nlevel = "loud"\n');
    expect(refusal(() => load()).message.split('\n')).toHaveLength(3);
  });

  it('a data directory inside a base directory, and the other way round', () => {
    for (const base of [home, path.join(data, 'files'), data]) {
      expect(refusal(() => load({ env: { WRIT_FILE__BASE_DIRECTORIES__INBOX: base } }))).toMatchObject({
        field: 'file.base_directories.inbox',
        message: expect.stringContaining('apart from the data directory'),
      });
    }
  });
});
