import { describe, expect, it } from 'vitest';
import { compileDenied, isDenied } from '../../../../src/content-search/enumerate/denied.ts';
import { enumerate } from '../../../../src/content-search/enumerate/enumerate.ts';
import { compileGlobs } from '../../../../src/content-search/enumerate/globs.ts';
import { DEFAULT_DENIED_PATTERNS, locate } from '../../../../src/content-search/search/sandbox.ts';
import type { SearchTree } from '../../../../src/core/ports/index.ts';

describe('deny patterns', () => {
  it.each([
    ['**/.ssh/**', '/home/me/.ssh', true],
    ['**/.ssh/**', '/home/me/.ssh/id', true],
    ['**/secret/*', '/srv/secret', true],
    ['/srv/a/**/*', '/srv/a', true],
    ['/srv/a/**', '/srv', false],
    ['/srv/a/**', '/srv/ab', false],
    ['private/**', '/private', true],
    ['private/**', '/srv/private', false],
    ['**/*.pem', '/srv', false],
    ['**', '/', false],
  ] as const)('deny a directory of which they deny all contents: %s and %s', { tags: ['SEC-LSI-02.1'] }, (pattern, path, denied) => {
    expect(isDenied(compileDenied([pattern]), path, true)).toBe(denied);
  });

  it('leave a file alone that has the name of such a directory', () => {
    expect(isDenied(compileDenied(['**/.ssh/**']), '/home/me/.ssh', false)).toBe(false);
  });

  const closed: SearchTree = {
    list: (directory) => (/^\/srv\/?$/.test(directory.toString()) ? [{ name: '.ssh', kind: 'directory' }] : { refused: 'EACCES' }),
    readSmall: () => ({ refused: 'ENOENT' }),
    resolve: (path) => ({ realPath: Buffer.from(path), kind: 'directory', dev: 1, ino: 1 }),
  };
  const denied = compileDenied(DEFAULT_DENIED_PATTERNS);

  it('hide that such a directory is there, and that it cannot be read', () => {
    const sandbox = { allowedRoots: ['/srv'], workingDirectory: '/srv', indexRoots: [], allowAbsolute: false, denied, platform: 'posix' } as const;
    expect(locate('.ssh', sandbox, closed)).toMatchObject({ ok: false, error: { message: 'No such file or directory: ".ssh"' } });
    const globs = compileGlobs([]);
    if (!globs.ok) throw new Error(globs.message);
    const rules = { hidden: true, follow: false, noIgnore: true, globs: globs.globs, denied, allowedRoots: ['/srv'], globalIgnore: undefined };
    const walk = enumerate(closed, { orderRoot: '/srv', start: '', ...rules });
    expect([walk.next(10), walk.warnings]).toEqual([[], []]);
  });
});
