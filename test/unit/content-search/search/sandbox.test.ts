import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDenied } from '../../../../src/content-search/enumerate/denied.ts';
import {
  DEFAULT_DENIED_PATTERNS,
  lexicalPath,
  locate,
  type OrderRoot,
  type PathPlatform,
  type Sandbox,
  selectOrderRoot,
} from '../../../../src/content-search/search/sandbox.ts';
import type { SearchTree, TreeTarget } from '../../../../src/core/ports/index.ts';

/** A file system in a table: a path, and where it really lies. */
function treeOf(entries: Readonly<Record<string, { readonly real?: string; readonly kind: TreeTarget['kind'] }>>): SearchTree {
  return {
    list: () => ({ refused: 'ENOSYS' }),
    readSmall: () => ({ refused: 'ENOENT' }),
    resolve: (path) => {
      const entry = entries[path.toString()];
      return entry === undefined ? { refused: 'ENOENT' } : { realPath: Buffer.from(entry.real ?? path.toString()), kind: entry.kind, dev: 1, ino: 1 };
    },
  };
}

const SANDBOX: Sandbox = {
  allowedRoots: ['/work', '/data'],
  workingDirectory: '/work',
  indexRoots: [],
  allowAbsolute: true,
  denied: compileDenied(DEFAULT_DENIED_PATTERNS),
  platform: 'posix',
};

const TREE = treeOf({
  '/': { kind: 'directory' },
  '/work': { kind: 'directory' },
  '/work/src': { kind: 'directory' },
  '/work/src/a.ts': { kind: 'file' },
  '/work/link': { real: '/data/set', kind: 'directory' },
  '/work/out': { real: '/etc', kind: 'directory' },
  '/work/out/passwd': { real: '/etc/passwd', kind: 'file' },
  '/work/alias': { real: '/work/k.pem', kind: 'file' },
  '/work/k.pem': { kind: 'file' },
  '/work/.ssh': { kind: 'directory' },
  '/work/.ssh/config': { kind: 'file' },
  '/work/.writ-vault': { kind: 'directory' },
  '/work/fifo': { kind: 'other' },
  '/data': { kind: 'directory' },
  '/data/set': { kind: 'directory' },
  '/data/set/x': { kind: 'file' },
  '/etc': { kind: 'directory' },
  '/workshop': { kind: 'directory' },
});

const outcome = (path: string, sandbox: Partial<Sandbox> = {}): string => {
  const located = locate(path, { ...SANDBOX, ...sandbox }, TREE);
  return located.ok ? `${located.value.kind} ${located.value.realPath}` : `${located.error.code} ${located.error.field} ${located.error.message}`;
};

describe('the sandbox of a search', () => {
  it('resolves a relative path against the working directory', { tags: ['LSI-PATH-01'] }, () => {
    expect(outcome('src/a.ts')).toBe('file /work/src/a.ts');
    expect(outcome('.')).toBe('directory /work');
    expect(outcome('set/x', { workingDirectory: '/data' })).toBe('file /data/set/x');
  });

  it.each(['..', '../work', 'src/..', 'a/../b', '/work/../etc', 'src/../../etc/passwd'])(
    'refuses the traversal %s wherever it leads',
    { tags: ['LSI-PATH-02'] },
    (path) => {
      expect(outcome(path)).toBe('BadArgs path must not contain ".."');
    },
  );

  it('takes names that only look like a traversal', () => {
    expect(outcome('..a')).toContain('No such file');
    expect(outcome('a..')).toContain('No such file');
  });

  it.each(['/etc', '/etc/nothing', '/', '/workshop', '/nothing/at/all'])(
    'refuses %s outside of the roots, whether it exists or not',
    { tags: ['SEC-LSI-01'] },
    (path) => {
      expect(outcome(path)).toBe('BadArgs path lies outside of the allowed roots');
    },
  );

  it('follows links of the request path, and judges where they lead', { tags: ['LSI-PATH-03', 'LSI-TM-01', 'T-LSI-PATH-04'] }, () => {
    expect(outcome('link')).toBe('directory /data/set');
    expect(outcome('out')).toBe('BadArgs path lies outside of the allowed roots');
    expect(outcome('out/passwd')).toBe('BadArgs path lies outside of the allowed roots');
    expect(outcome('out/nothing')).toBe(outcome('out/passwd'));
  });

  it('lets denied and reserved places look as if they were not there', { tags: ['T-LSI-SEC-01'] }, () => {
    for (const path of ['k.pem', 'alias', '.ssh/config', '.writ-vault', '.WRIT-Vault', 'nothing', 'nothing/at/all', '.ssh/nothing']) {
      expect(outcome(path)).toBe(`ExecutionFailed path No such file or directory: ${JSON.stringify(path)}`);
    }
  });

  it('refuses absolute paths unless they are allowed, inside of the roots too', { tags: ['LSI-PATH-09'] }, () => {
    expect(outcome('/work/src', { allowAbsolute: false })).toBe('BadArgs path must not be absolute');
    expect(outcome('/work/src')).toBe('directory /work/src');
  });

  it('does not search what is neither file nor directory', () => {
    expect(outcome('fifo')).toContain('neither a file nor a directory');
  });

  it('has nothing without roots', () => {
    expect(outcome('.', { allowedRoots: [] })).toBe('BadArgs path lies outside of the allowed roots');
  });
});

const lexical = (path: string, platform: PathPlatform, base = platform === 'posix' ? '/w' : 'C:/w'): string => {
  const judged = lexicalPath(path, base, platform);
  return judged.ok ? judged.value.path : `! ${judged.error.message}`;
};

describe('keys of paths (NormalizePathForKey)', () => {
  it.each([
    ['./a/./b', '/w/a/b'],
    ['a/b/.', '/w/a/b'],
    ['/./x/././y/./', '/x/y'],
    ['a//b/', '/w/a/b'],
    ['.', '/w'],
    ['./', '/w'],
    ['/', '/'],
    ['/.', '/'],
    ['//', '/'],
    ['/x/', '/x'],
    ['a\\b', '/w/a\\b'],
    ['c:/x', '/w/c:/x'],
  ])('writes %s as %s where names are bytes', { tags: ['LSI-PATH-05', 'LSI-PATH-07', 'NFR-LSI-PORT-02'] }, (path, key) => {
    expect(lexical(path, 'posix')).toBe(key);
  });

  it.each([
    ['a\\b', 'C:/w/a/b'],
    ['.\\a\\.\\b\\', 'C:/w/a/b'],
    ['c:\\x\\', 'C:/x'],
    ['c:\\', 'C:/'],
    ['d:/x//y', 'D:/x/y'],
    ['\\\\server\\share', '//server/share/'],
    ['\\\\server\\share\\a\\', '//server/share/a'],
  ])('writes %s as %s on Windows', { tags: ['LSI-PATH-04', 'LSI-PATH-06', 'LSI-PATH-07', 'NFR-LSI-PORT-01'] }, (path, key) => {
    expect(lexical(path, 'windows')).toBe(key);
  });

  it.each(['\\\\?\\C:\\x', '\\\\.\\COM1', '//?/C:/x', 'c:x', 'C:', '\\x', '/x', 'a.txt:stream', 'c:/a:b', 'a\\..\\b'])(
    'refuses %s on Windows',
    { tags: ['LSI-PATH-02'] },
    (path) => {
      expect(lexical(path, 'windows')).toMatch(/^!/);
    },
  );

  it('changes nothing when a key is written again', { tags: ['LSI-PATH-05'] }, () => {
    const paths = fc.array(fc.constantFrom('a', 'B', '.', '', 'c:', '\\', ' '), { maxLength: 6 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(paths, fc.constantFrom<PathPlatform>('posix', 'windows'), (path, platform) => {
        const once = lexical(path, platform);
        return once.startsWith('!') || lexical(once, platform) === once;
      }),
    );
  });
});

describe('the order root', () => {
  const rootOf = (path: string, sandbox: Partial<Sandbox> = {}): OrderRoot => {
    const all = { ...SANDBOX, ...sandbox };
    const place = locate(path, all, TREE);
    if (!place.ok) throw new Error(place.error.message);
    const root = selectOrderRoot(place.value, all, TREE);
    if (!root.ok) throw new Error(root.error.message);
    return root.value;
  };

  it('is the working directory for a relative path', { tags: ['FR-LSI-ORD-ROOT-01.3'] }, () => {
    expect(rootOf('.')).toEqual({ directory: '/work', start: '', startKind: 'directory' });
    expect(rootOf('src/a.ts')).toEqual({ directory: '/work', start: 'src/a.ts', startKind: 'file' });
    expect(rootOf('./src/')).toEqual({ directory: '/work', start: 'src', startKind: 'directory' });
  });

  it('is the directory itself, or that of the file, for an absolute path', { tags: ['FR-LSI-ORD-ROOT-01.2'] }, () => {
    expect(rootOf('/work/src')).toEqual({ directory: '/work/src', start: '', startKind: 'directory' });
    expect(rootOf('/work/src/a.ts')).toEqual({ directory: '/work/src', start: 'a.ts', startKind: 'file' });
    expect(rootOf('/', { allowedRoots: ['/'] })).toEqual({ directory: '/', start: '', startKind: 'directory' });
  });

  it('has no link in it', { tags: ['FR-LSI-ORD-ROOT-01.4'] }, () => {
    expect(rootOf('/work/link')).toEqual({ directory: '/data/set', start: '', startKind: 'directory' });
    expect(rootOf('.', { workingDirectory: '/work/link' })).toEqual({ directory: '/data/set', start: '', startKind: 'directory' });
  });

  it('is the place itself when a relative path leads to another root through a link, because nothing of it lies beneath the working directory', () => {
    expect(rootOf('link')).toEqual({ directory: '/data/set', start: '', startKind: 'directory' });
  });

  it('is the deepest configured index root that contains the path, however the path is written', {
    tags: ['FR-LSI-ORD-ROOT-01.1', 'FR-LSI-IDX-ROOT-02.1'],
  }, () => {
    const indexRoots = ['/work', '/work/src'];
    expect(rootOf('src/a.ts', { indexRoots })).toEqual({ directory: '/work/src', start: 'a.ts', startKind: 'file' });
    expect(rootOf('/work/src', { indexRoots })).toEqual({ directory: '/work/src', start: '', startKind: 'directory' });
    expect(rootOf('/work', { indexRoots })).toEqual({ directory: '/work', start: '', startKind: 'directory' });
    expect(rootOf('link', { indexRoots })).toEqual({ directory: '/data/set', start: '', startKind: 'directory' });
  });

  it('depends on path and settings alone', { tags: ['FR-LSI-ORD-ROOT-02', 'LSI-ORDROOT-GEN'] }, () => {
    for (const path of ['.', 'src', '/work/src', 'link']) expect(rootOf(path)).toEqual(rootOf(path));
  });
});
