import { describe, expect, it } from 'vitest';
import { compileDenied } from '../../../../src/content-search/enumerate/denied.ts';
import { type CandidateFilesOptions, candidateFiles } from '../../../../src/content-search/search/candidate-files.ts';
import type { Candidate } from '../../../../src/content-search/search/types.ts';
import type { TreeTarget } from '../../../../src/core/ports/index.ts';

const named = (text: string, raw?: Buffer): Candidate => ({ text, raw });

/** A file system in a table: where a path leads, and what is there. */
function optionsOf(
  table: Readonly<Record<string, { readonly real?: string; readonly kind: TreeTarget['kind'] }>>,
  changes: Partial<CandidateFilesOptions> = {},
): CandidateFilesOptions {
  const at = (path: Buffer | string) => table[path.toString('latin1')];
  return {
    root: '/r',
    follow: false,
    confined: false,
    sandbox: { allowedRoots: ['/r'], denied: compileDenied(['**/*.pem']) },
    tree: {
      list: () => ({ refused: 'ENOSYS' }),
      readSmall: () => ({ refused: 'ENOENT' }),
      resolve: (path) => {
        const entry = at(path);
        return entry === undefined
          ? { refused: 'ENOENT' }
          : { realPath: Buffer.from(entry.real ?? path.toString('latin1'), 'latin1'), kind: entry.kind, dev: 1, ino: 1 };
      },
    },
    files: {
      probe: (path) => {
        const entry = at(path);
        return entry === undefined || entry.kind === 'other' ? { refused: 'EACCES' } : entry.kind;
      },
      open: (path) => (at(path)?.kind === 'file' ? 7 : { refused: 'EACCES' }),
      readAll: () => Buffer.from('of 7'),
      reader: () => ({ read: (into) => into.write('of 7'), close: () => undefined }),
    },
    ...changes,
  };
}

const TABLE = {
  '/r': { kind: 'directory' },
  '/r/a': { kind: 'file' },
  '/r/d': { kind: 'directory' },
  '/r/d/b': { kind: 'file' },
  '/r/out': { real: '/etc', kind: 'directory' },
  '/r/out/passwd': { real: '/etc/passwd', kind: 'file' },
  '/r/link': { real: '/r/a', kind: 'file' },
  '/r/key': { real: '/r/k.pem', kind: 'file' },
  '/r/k.pem': { kind: 'file' },
  '/r/locked': { kind: 'other' },
  '/r/\xff': { kind: 'file' },
} as const;

describe('the files of a run', () => {
  it('tells whether a file can be opened, and why not', () => {
    const { tryOpen } = candidateFiles(optionsOf(TABLE));
    expect(['a', 'd/b', 'd', 'gone', 'locked', 'out/passwd', 'link'].map((text) => tryOpen(named(text)))).toEqual([
      ...[undefined, undefined, 'EISDIR', 'ENOENT', 'EACCES', 'ELOOP', 'ELOOP'],
    ]);
  });

  it('opens a followed link where it leads, unless that is outside or denied', { tags: ['SEC-LSI-01'] }, () => {
    const { open } = candidateFiles(optionsOf(TABLE, { follow: true }));
    expect(['link', 'a', 'out/passwd', 'key'].map((text) => open(named(text)))).toEqual([7, 7, 'ELOOP', 'ELOOP']);
  });

  it('opens names that are no UTF-8 by their bytes', () => {
    expect(candidateFiles(optionsOf(TABLE)).open(named('\ufffd', Buffer.from([0xff])))).toBe(7);
  });

  it('leaves out what lies behind a link that was none before, directories before a chunk and files after it', { tags: ['SEC-LSI-01', 'LSI-TM-01'] }, () => {
    const { recheck } = candidateFiles(optionsOf(TABLE));
    const candidates = ['a', 'd/b', 'out/passwd', 'link', 'gone'].map((text) => named(text));
    const standing = (when: 'before' | 'after'): string[] => [...(recheck?.(candidates, when) ?? [])].map(({ text }) => text);
    expect(standing('before')).toEqual(['a', 'd/b', 'link', 'gone']);
    expect(standing('after')).toEqual(['a', 'd/b']);
  });

  it('looks at nothing twice where the kernel confines the backends', () => {
    expect(candidateFiles(optionsOf(TABLE, { confined: true })).recheck).toBeUndefined();
    expect(candidateFiles(optionsOf(TABLE, { confined: true })).tryOpen(named('a'))).toBeUndefined();
  });
});
