import { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diskIndexFiles } from '../../src/content-search/ngram-index/storage/files-disk.ts';
import type { IndexFiles } from '../../src/core/ports/index.ts';
import { type FilesUnderTest, indexFilesConformance } from './index-files.ts';

const KEY_HASH = 'a'.repeat(64);

async function place(): Promise<FilesUnderTest & { readonly directory: string }> {
  const root = await mkdtemp(join(tmpdir(), 'writ-index-files-'));
  const directory = join(root, 'aaaa');
  return { directory, files: diskIndexFiles({ directory, keyHash: KEY_HASH }), [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}

function put(files: IndexFiles, delta = 0): void {
  const writer = files.create({ generation: 1, delta });
  writer.append(Buffer.from('segment'));
  writer.finish();
}

indexFilesConformance('index files on disk', place);

describe('index files on disk', () => {
  it('are for their user alone', { tags: ['SEC-LSI-STORE-01'] }, async () => {
    await using at = await place();
    put(at.files);
    at.files.runs(1).write(0, [Buffer.from('x')]);
    at.files.flip({ generation: 1, deltas: [] });
    const mode = async (path: string): Promise<number> => (await stat(join(at.directory, path))).mode & 0o777;
    expect(await Promise.all(['', 'gen-1'].map(mode))).toEqual([0o700, 0o700]);
    expect(await Promise.all(['CURRENT', 'gen-1/base.seg', 'gen-1/runs-0'].map(mode))).toEqual([0o600, 0o600, 0o600]);
  });

  it('are refused where others may write', { tags: ['SEC-LSI-STORE-01'] }, async () => {
    await using at = await place();
    put(at.files);
    at.files.flip({ generation: 1, deltas: [] });
    const open = (): unknown => at.files.open({ generation: 1, delta: 0 });
    await chmod(join(at.directory, 'gen-1/base.seg'), 0o620);
    expect(open()).toEqual({ refused: 'EPERM' });
    await chmod(join(at.directory, 'gen-1/base.seg'), 0o600);
    await chmod(join(at.directory, 'gen-1'), 0o770);
    expect(open()).toEqual({ refused: 'EPERM' });
    expect(() => at.files.create({ generation: 1, delta: 1 })).toThrow(expect.objectContaining({ code: 'EPERM' }));
    await chmod(join(at.directory, 'gen-1'), 0o700);
    await chmod(at.directory, 0o702);
    expect(open()).toEqual({ refused: 'EPERM' });
    expect(() => at.files.current()).toThrow(expect.objectContaining({ code: 'EPERM' }));
  });

  it('are never reached through links, and a sweep removes a link and not what it points to', async () => {
    await using at = await place();
    put(at.files);
    const elsewhere = join(at.directory, '../elsewhere');
    await mkdir(elsewhere, { mode: 0o700 });
    await writeFile(join(elsewhere, 'base.seg'), 'not ours', { mode: 0o600 });
    await symlink(elsewhere, join(at.directory, 'gen-2'));
    await symlink(join(elsewhere, 'base.seg'), join(at.directory, 'gen-1/delta-1.seg'));
    await symlink(join(elsewhere, 'base.seg'), join(at.directory, 'CURRENT'));
    expect(at.files.open({ generation: 2, delta: 0 })).toEqual({ refused: 'ENOTDIR' });
    expect(at.files.open({ generation: 1, delta: 1 })).toEqual({ refused: 'ELOOP' });
    expect(at.files.current()).toBe('DAMAGED');
    at.files.sweep(null);
    expect(await readdir(at.directory)).toEqual([]);
    expect(await readdir(elsewhere)).toEqual(['base.seg']);
  });

  it('are taken for what they are: directories and FIFOs of our names hold nothing up', async () => {
    await using at = await place();
    put(at.files);
    await mkdir(join(at.directory, 'gen-1/delta-1.seg/x'), { recursive: true });
    await mkdir(join(at.directory, 'CURRENT'));
    expect(at.files.open({ generation: 1, delta: 1 })).toEqual({ refused: 'EINVAL' });
    expect(at.files.current()).toBe('DAMAGED');
    at.files.sweep(null);
    expect(await readdir(at.directory)).toEqual([]);
  });

  it('of others are left alone by a sweep', async () => {
    await using at = await place();
    put(at.files);
    put(at.files, 1);
    for (const name of ['LOCK', 'host.sock', 'meta.sqlite', 'gen-x']) await writeFile(join(at.directory, name), '');
    await link(join(at.directory, 'LOCK'), join(at.directory, 'gen-1/note'));
    at.files.sweep({ generation: 1, deltas: [] });
    expect((await readdir(at.directory)).sort()).toEqual(['LOCK', 'gen-1', 'gen-x', 'host.sock', 'meta.sqlite']);
    expect((await readdir(join(at.directory, 'gen-1'))).sort()).toEqual(['base.seg', 'note']);
  });

  it('leave a crash behind as what it was: half a file is none, and goes with the next sweep', async () => {
    await using at = await place();
    put(at.files);
    at.files.flip({ generation: 1, deltas: [] });
    await writeFile(join(at.directory, 'gen-1/.partial-delta-1.seg'), 'half');
    await writeFile(join(at.directory, '.partial-CURRENT'), '{"for');
    expect(at.files.current()).toEqual({ generation: 1, deltas: [] });
    put(at.files, 1);
    at.files.flip({ generation: 1, deltas: [1] });
    expect(at.files.current()).toEqual({ generation: 1, deltas: [1] });
    await writeFile(join(at.directory, '.partial-CURRENT'), '{"for');
    at.files.sweep({ generation: 1, deltas: [1] });
    expect((await readdir(at.directory)).sort()).toEqual(['CURRENT', 'gen-1']);
  });

  it('have a CURRENT that is damaged as soon as one byte of it is another, or it is of another index', async () => {
    await using at = await place();
    at.files.flip({ generation: 12, deltas: [1, 2] });
    const path = join(at.directory, 'CURRENT');
    const whole = await readFile(path);
    expect(diskIndexFiles({ directory: at.directory, keyHash: 'b'.repeat(64) }).current()).toBe('DAMAGED');
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.length * 8 - 1 }), fc.constantFrom('flip', 'cut', 'double'), async (bit, how) => {
        const flipped = Buffer.from(whole);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const broken = { flip: flipped, cut: whole.subarray(0, bit >> 3), double: Buffer.concat([whole, whole]) }[how];
        await writeFile(path, broken);
        expect(at.files.current()).toBe('DAMAGED');
      }),
      { numRuns: 400 },
    );
    await writeFile(path, Buffer.alloc(1 << 20, ' '));
    expect(at.files.current()).toBe('DAMAGED');
  });
});
