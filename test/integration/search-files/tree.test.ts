import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { libc } from '../../../src/adapters/linux/libc.ts';
import { openDescriptors } from '../../support/confined-fs.ts';
import { createFilesRig, type FilesRig, idsOf, LEVELS, searchFiles } from '../../support/search-files.ts';

describe.each(LEVELS)('a search of file names, confined by %s,', (level) => {
  let rig: FilesRig;
  let descriptors: number;
  const write = (...names: string[]): void => {
    for (const name of names) writeFileSync(rig.at(name), 'needle');
  };
  const ids = (query: string, root = rig.root) => idsOf(searchFiles(level, root, query));
  const refusal = (calls = {}, root = rig.root): Promise<unknown> => searchFiles(level, root, 'e', 10, calls).catch((error: unknown) => error);

  beforeEach(() => {
    rig = createFilesRig();
    descriptors = openDescriptors();
  });
  afterEach(() => {
    expect(openDescriptors()).toBe(descriptors);
    rig.close();
  });

  it('finds regular files at every depth by their names, not by contents or directories', { tags: ['SE-14', 'SE-37', 'SE-40'] }, async () => {
    write('needle', 'a/needle.txt', 'needles/of/pine', 'a/b/c/my needle', 'a/hay');
    linkSync(rig.at('a/hay'), rig.at('a/hard needle'));
    expect(await ids('needle')).toEqual(['a/b/c/my needle', 'a/hard needle', 'a/needle.txt', 'needle']);
  });

  it('answers nothing for an empty tree', { tags: ['SE-58'] }, async () => {
    expect(await searchFiles(level, rig.root, 'e')).toEqual({ count: 0, hits: [] });
  });

  it('follows no symbolic link and takes none for a file', { tags: ['SE-38', 'SE-39'] }, async () => {
    write('real/e');
    writeFileSync(path.join(rig.outside, 'secret e'), '');
    symlinkSync(rig.outside, rig.at('e to outside'));
    symlinkSync(path.join(rig.outside, 'secret e'), rig.at('real/e to a file'));
    symlinkSync('e', rig.at('real/e to e'));
    symlinkSync('.', rig.at('real/loop e'));
    symlinkSync('../..', rig.at('real/up e'));
    symlinkSync('nowhere', rig.at('real/dangling e'));
    expect(await ids('e')).toEqual(['real/e']);
  });

  it('takes neither FIFO nor socket nor directory for a file', { tags: ['SE-37'] }, async () => {
    write('e file');
    mkdirSync(rig.at('e directory'));
    execFileSync('mkfifo', [rig.at('e fifo')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path.join(rig.root, 'e socket'), resolve));
    expect(await ids('e')).toEqual(['e file']);
    await new Promise((resolve) => server.close(resolve));
  });

  it('skips the names of Writ, however they are written', async () => {
    write('.writ-vault/e', 'a/.writ-tmp-e', 'a/.WRIT-e', 'a/.Writ-x/e', '.wr\u0131t-e', '.writ', '.e', '..e', '...', 'a.writ-e', '.w e', '.é');
    expect(await ids('e')).toEqual(['..e', '.e', '.w e', 'a.writ-e']);
    expect(await ids('.writ')).toEqual(['.writ', 'a.writ-e']);
  });

  it('takes line breaks and control characters for what they are', { tags: ['SE-56'] }, async () => {
    write('a\nb', 'a/\r\n\t\x1b[0m', '\x7f');
    expect((await searchFiles(level, rig.root, '\n')).hits).toEqual(
      [
        { id: 'a\nb', match_field: 'filename', match_snippet: 'a\nb' },
        { id: 'a/\r\n\t\x1b[0m', match_field: 'filename', match_snippet: '\r\n\t\x1b[0m' },
      ].toSorted((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))),
    );
  });

  it('orders by code points of the path, not by UTF-16 units, and cuts after that', { tags: ['SE-41'] }, async () => {
    write('e\u{1f600}', 'e\uff5e', 'e\ufffd', 'e', 'e-', 'E e', 'f/e', 'f.e', 'f0e', '\ufeffe');
    const sorted = ['E e', 'e', 'e-', 'f.e', 'f/e', 'f0e', 'e\uff5e', 'e\ufffd', 'e\u{1f600}', '\ufeffe'].toSorted((a, b) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    );
    expect(await ids('e')).toEqual(sorted);
    expect(await searchFiles(level, rig.root, 'e', 8)).toMatchObject({ count: 10, hits: sorted.slice(0, 8).map((id) => ({ id })) });
  });

  it('does not normalize: composed and decomposed are two texts', { tags: ['SE-31'] }, async () => {
    write('caf\u00e9', 'cafe\u0301');
    expect(await ids('\u00e9')).toEqual(['caf\u00e9']);
    expect(await ids('e\u0301')).toEqual(['cafe\u0301']);
  });

  it('takes no name that is not UTF-8 for a record, and enters no such directory', async () => {
    const raw = (name: string): Buffer => Buffer.concat([Buffer.from(`${rig.root}/`), Buffer.from(name, 'latin1')]);
    for (const name of ['e\xff', 'e\xc3', 'e\xed\xa0\x80', 'e\xc0\x80']) writeFileSync(raw(name), '');
    mkdirSync(raw('d\xfe'));
    writeFileSync(raw('d\xfe/e'), '');
    write('e');
    expect(await searchFiles(level, rig.root, 'e')).toMatchObject({ count: 1, hits: [{ id: 'e' }] });
    expect(await ids('\ufffd')).toEqual([]);
    rmSync(raw('d\xfe'), { recursive: true });
  });

  it('sees a changed tree at the next search: nothing is kept', { tags: ['SE-10'] }, async () => {
    write('e1');
    expect(await ids('e')).toEqual(['e1']);
    rmSync(rig.at('e1'));
    write('e2');
    expect(await ids('e')).toEqual(['e2']);
  });

  it('asks the file system for types that a directory does not tell', async () => {
    write('e', 'a/e', 'a/b/e', '.writ-e');
    symlinkSync('e', rig.at('link e'));
    symlinkSync(rig.outside, rig.at('a/outside e'));
    writeFileSync(path.join(rig.outside, 'e'), '');
    execFileSync('mkfifo', [rig.at('fifo e')]);
    writeFileSync(Buffer.from(`${rig.root}/e\xff`, 'latin1'), '');
    // As a file system without types in its directories answers.
    const getdentsSync = (fd: number, block: Uint8Array): number => {
      const filled = libc().getdentsSync(fd, block);
      for (let at = 0; at < filled; at += (block[at + 16] ?? 0) + 256 * (block[at + 17] ?? 0)) block[at + 18] = 0;
      return filled;
    };
    expect(await idsOf(searchFiles(level, rig.root, 'e', 10, { getdentsSync }))).toEqual(['a/b/e', 'a/e', 'e']);
  });

  it.each([
    ['is missing', 'missing'],
    ['is a file', 'file'],
    ['is a symbolic link to a directory', 'link'],
  ])('is SCOPE_UNAVAILABLE when the root %s, and names no path', { tags: ['SE-67'] }, async (_what, name) => {
    write('file');
    symlinkSync(rig.outside, rig.at('link'));
    const error = await refusal({}, rig.at(name));
    expect(error).toMatchObject({ code: 'SCOPE_UNAVAILABLE' });
    expect(String(error)).not.toContain(rig.root);
  });

  it('follows links above the root, which are the operator’s', async () => {
    write('a/b/e');
    symlinkSync(rig.root, path.join(rig.outside, 'link'));
    expect(await ids('e', path.join(rig.outside, 'link/a'))).toEqual(['b/e']);
  });

  it('is SCOPE_UNAVAILABLE when the root vanishes before it is read', async () => {
    const getdentsSync = (fd: number, block: Uint8Array): number => {
      rmdirSync(rig.root);
      return libc().getdentsSync(fd, block);
    };
    expect(await refusal({ getdentsSync })).toMatchObject({ code: 'SCOPE_UNAVAILABLE' });
  });

  it('is EXECUTION_FAILED after an I/O error and names the directory, relative to the root', { tags: ['SE-68'] }, async () => {
    write('a/b/e', 'e');
    let calls = 0;
    // Root, end of root, a, end of a, a/b.
    const getdentsSync = (fd: number, block: Uint8Array): number => (++calls === 5 ? -5 : libc().getdentsSync(fd, block));
    expect(await refusal({ getdentsSync })).toMatchObject({ code: 'EXECUTION_FAILED', message: '"a/b" in the directory of this scope cannot be read: EIO' });
  });

  it('is RESOURCE_EXHAUSTED when there are no descriptors left', { tags: ['SE-69'] }, async () => {
    write('a/e');
    const none = (at: number): number | undefined => (at < 0 ? undefined : -24);
    const calls = {
      openat2Sync: (at: number, name: string, how: Uint8Array) => none(at) ?? libc().openat2Sync(at, name, how),
      openatSync: (at: number, name: string, flags: number) => none(at) ?? libc().openatSync(at, name, flags),
    };
    expect(await refusal(calls)).toMatchObject({ code: 'RESOURCE_EXHAUSTED' });
  });
});
