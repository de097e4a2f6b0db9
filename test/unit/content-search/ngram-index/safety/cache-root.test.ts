import { describe, expect, it } from 'vitest';
import {
  type CachePlatform,
  type CacheRootOptions,
  cacheRootCandidate,
  chooseStorage,
} from '../../../../../src/content-search/ngram-index/safety/cache-root.ts';

const linux = (env: CachePlatform['env'] = {}): CachePlatform => ({ os: 'linux', env, uid: 1000 });
const darwin = (env: CachePlatform['env'] = {}): CachePlatform => ({ os: 'darwin', env, uid: 501 });
const windows = (env: CachePlatform['env'] = {}): CachePlatform => ({ os: 'win32', env, uid: undefined });

describe('the cache root', () => {
  it('is the configured path when there is one', { tags: ['FR-LSI-CACHE-ROOT-01.1'] }, () => {
    expect(cacheRootCandidate('/var/cache/writ', linux({ HOME: '/home/u' }))).toBe('/var/cache/writ');
    expect(cacheRootCandidate('d:\\cache\\writ', windows())).toBe('d:\\cache\\writ');
  });

  it('is in the local data of the user on Windows', { tags: ['FR-LSI-CACHE-ROOT-01.2'] }, () => {
    expect(cacheRootCandidate('', windows({ LOCALAPPDATA: 'C:\\Users\\u\\AppData\\Local' }))).toBe('C:/Users/u/AppData/Local/writ/search-index');
  });

  it('is in the caches of the user on macOS', { tags: ['FR-LSI-CACHE-ROOT-01.3'] }, () => {
    expect(cacheRootCandidate('', darwin({ HOME: '/Users/u', XDG_CACHE_HOME: '/elsewhere' }))).toBe('/Users/u/Library/Caches/writ/search-index');
  });

  it('is in XDG_CACHE_HOME on Linux, or in .cache where that is unset, empty or relative', { tags: ['FR-LSI-CACHE-ROOT-01.4'] }, () => {
    expect(cacheRootCandidate('', linux({ HOME: '/home/u', XDG_CACHE_HOME: '/xdg' }))).toBe('/xdg/writ/search-index');
    for (const XDG_CACHE_HOME of [undefined, '', 'relative']) {
      expect(cacheRootCandidate('', linux({ HOME: '/home/u', XDG_CACHE_HOME }))).toBe('/home/u/.cache/writ/search-index');
    }
  });

  it('is a temporary directory of this user when there is no home', { tags: ['FR-LSI-CACHE-ROOT-01.5'] }, () => {
    expect(cacheRootCandidate('', linux({ TMPDIR: '/scratch' }))).toBe('/scratch/writ-search-1000');
    expect(cacheRootCandidate('', linux({ HOME: 'relative' }))).toBe('/tmp/writ-search-1000');
    expect(cacheRootCandidate('', darwin())).toBe('/tmp/writ-search-501');
    expect(cacheRootCandidate('', darwin({ TMPDIR: '/var/folders/u/T/' }))).toBe('/var/folders/u/T/writ-search-501');
    for (const TMPDIR of ['', 'relative', '/up/..']) expect(cacheRootCandidate('', linux({ TMPDIR }))).toBe('/tmp/writ-search-1000');
    expect(cacheRootCandidate('', windows({ TEMP: 'C:\\Temp', TMP: 'D:\\Tmp' }))).toBe('C:/Temp/writ-search');
    expect(cacheRootCandidate('', windows({ TMP: 'D:\\Tmp' }))).toBe('D:/Tmp/writ-search');
    expect(cacheRootCandidate('', windows({ TEMP: 'C:relative' }))).toBeUndefined();
  });
});

describe('where indexes are kept', () => {
  const options = (changes: Partial<CacheRootOptions> = {}): CacheRootOptions => ({
    storage: 'sqlite',
    indexPath: '/cache/writ',
    platform: linux(),
    searchedTrees: ['/srv/code', '/home/u'],
    denied: () => false,
    real: (path) => path,
    prepare: () => 'ready',
    allowInsecure: false,
    ...changes,
  });
  const memory = (fallback: string | null, directory: string | null = '/cache/writ') => ({ mode: 'memory', fallback, directory });

  it('is the valid cache root, whatever the sandbox says about absolute paths', { tags: ['FR-LSI-CACHE-ROOT-04', 'FR-LSI-IDX-STOR-02', 'LSI-PATH-08'] }, () => {
    expect(chooseStorage(options())).toEqual({ mode: 'sqlite', directory: '/cache/writ', insecure: false });
    expect(chooseStorage(options({ indexPath: '/cache//writ/./' }))).toEqual({ mode: 'sqlite', directory: '/cache/writ', insecure: false });
    expect(chooseStorage(options({ indexPath: 'd:\\cache\\writ', platform: windows() }))).toEqual({
      mode: 'sqlite',
      directory: 'D:/cache/writ',
      insecure: false,
    });
  });

  it('is memory when that was asked for, without a look at any directory', () => {
    const asked = options({
      storage: 'memory',
      prepare: () => {
        throw new Error('asked');
      },
    });
    expect(chooseStorage(asked)).toEqual(memory(null, null));
  });

  it('is never a tree that is searched, nor anything in it, links resolved', { tags: ['FR-LSI-CACHE-ROOT-02.1'] }, () => {
    for (const indexPath of ['/srv/code', '/srv/code/', '/srv/code/.cache', '/home/u/.cache/writ/search-index']) {
      expect(chooseStorage(options({ indexPath }))).toMatchObject({ mode: 'memory', fallback: 'INSIDE_SEARCHED_TREE' });
    }
    expect(chooseStorage(options({ indexPath: '/srv/code2' })).mode).toBe('sqlite');
    expect(chooseStorage(options({ indexPath: '/srv' })).mode).toBe('sqlite');
    expect(chooseStorage(options({ real: () => '/srv/code/x' }))).toEqual(memory('INSIDE_SEARCHED_TREE'));
    expect(chooseStorage(options({ searchedTrees: ['/'] }))).toEqual(memory('INSIDE_SEARCHED_TREE'));
  });

  it('does not regard case where the system does not', () => {
    const inside = { searchedTrees: ['/Users/U/Code'], indexPath: '/users/u/code/cache' };
    expect(chooseStorage(options({ ...inside, platform: darwin() }))).toMatchObject({ fallback: 'INSIDE_SEARCHED_TREE' });
    expect(chooseStorage(options({ ...inside, platform: linux() })).mode).toBe('sqlite');
    expect(chooseStorage(options({ searchedTrees: ['c:/Code'], indexPath: 'C:\\code\\cache', platform: windows() }))).toMatchObject({
      fallback: 'INSIDE_SEARCHED_TREE',
    });
  });

  it('is never under a denied pattern, as written or as it really lies', { tags: ['FR-LSI-CACHE-ROOT-02.2'] }, () => {
    expect(chooseStorage(options({ denied: (path) => path === '/cache/writ' }))).toEqual(memory('DENIED_BY_POLICY'));
    expect(chooseStorage(options({ real: () => '/secret', denied: (path) => path === '/secret' }))).toEqual(memory('DENIED_BY_POLICY'));
  });

  it('is memory when the directory cannot be made for this user alone', {
    tags: ['FR-LSI-CACHE-ROOT-02.4', 'FR-LSI-STOR-FALLBACK-01.2', 'SEC-LSI-STORE-02.1'],
  }, () => {
    for (const problem of ['PERMISSION_DENIED', 'NOT_PRIVATE', 'NOT_A_DIRECTORY'] as const)
      expect(chooseStorage(options({ prepare: () => problem }))).toEqual(memory(problem));
    for (const indexPath of ['relative/path', '/cache/../srv/code'])
      expect(chooseStorage(options({ indexPath }))).toMatchObject({ mode: 'memory', fallback: 'NOT_ABSOLUTE' });
  });

  it('is the directory that others can read only when that was asked for', { tags: ['SEC-LSI-STORE-02.3'] }, () => {
    expect(chooseStorage(options({ prepare: () => 'NOT_PRIVATE', allowInsecure: true }))).toEqual({ mode: 'sqlite', directory: '/cache/writ', insecure: true });
    expect(chooseStorage(options({ prepare: () => 'PERMISSION_DENIED', allowInsecure: true }))).toEqual(memory('PERMISSION_DENIED'));
  });

  it('is nowhere only when no directory can be determined at all', { tags: ['T-LSI-SAFE-07', 'LSI-ST-02.1'] }, () => {
    expect(chooseStorage(options({ indexPath: '', platform: windows() }))).toEqual({ mode: 'none' });
    expect(chooseStorage(options({ indexPath: '', platform: linux() }))).toEqual({ mode: 'sqlite', directory: '/tmp/writ-search-1000', insecure: false });
  });

  it('makes no directory where none may be', () => {
    const made: string[] = [];
    const prepare = (path: string): 'ready' => {
      made.push(path);
      return 'ready';
    };
    chooseStorage(options({ indexPath: '/srv/code/cache', prepare }));
    chooseStorage(options({ denied: () => true, prepare }));
    expect(made).toEqual([]);
  });
});
