import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigSchema } from '../../../../config/schema.ts';
import { userSettings } from '../../../../src/content-search/settings/content-settings.ts';

const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'writ-settings-')));
mkdirSync(path.join(root, 'tree'));
const tree = path.join(root, 'tree');
const link = path.join(root, 'link');
symlinkSync(tree, link);
afterAll(() => {
  rmSync(root, { recursive: true });
});

const surroundings = { searchPath: '/bin', cache: {}, gitIgnoreFile: '/home/me/git/ignore' };
const asked = { backend: undefined, stats: false, indexed: undefined };
const configOf = (search: Record<string, unknown>) =>
  ConfigSchema.parse({ tools: { search: { enabled: true, ...search }, sandbox: { allowed_roots: [root] } } });

describe('userSettings', () => {
  it('lets a user search everything, without index and deny rules, with the own git excludes', () => {
    const settings = userSettings(configOf({ index_mode: 'on', index_roots: [root], index_storage: 'memory' }), surroundings, asked);
    expect(settings).toMatchObject({ allowedRoots: ['/'], indexRoots: [], deniedPatterns: [], includeDefaultDenies: false, allowAbsolute: true });
    expect(settings).toMatchObject({ index: { mode: 'off' }, globalIgnoreFile: '/home/me/git/ignore' });
  });

  it('takes the ignore file of the settings where they name one', () => {
    expect(userSettings(configOf({ global_ignore_file: '/etc/ignore' }), surroundings, asked).globalIgnoreFile).toBe('/etc/ignore');
  });

  it('shows from an index root, also behind a link, what servers see', () => {
    const config = configOf({ index_mode: 'on', index_roots: [link], index_storage: 'memory' });
    const settings = userSettings(config, surroundings, { ...asked, indexed: tree });
    expect(settings).toMatchObject({ allowedRoots: [root], includeDefaultDenies: true, allowAbsolute: true, index: { mode: 'on' } });
  });

  it('does not take the first allowed root of a server for an index root', () => {
    const config = configOf({ index_mode: 'on', index_storage: 'memory' });
    expect(userSettings(config, surroundings, { ...asked, indexed: root }).allowedRoots).toEqual(['/']);
  });

  it('takes the backend and the stats that were asked for', () => {
    expect(userSettings(configOf({}), surroundings, { ...asked, backend: 'rg', stats: true })).toMatchObject({ binaries: ['rg'], emitStats: true });
  });
});
