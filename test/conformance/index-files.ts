import { describe, expect, it } from 'vitest';
import type { IndexFiles, OpenSegmentFile, SegmentName } from '../../src/core/ports/index.ts';

/** Files of an index for one test. */
export interface FilesUnderTest extends AsyncDisposable {
  readonly files: IndexFiles;
}

/** What every IndexFiles does. */
export function indexFilesConformance(name: string, make: () => Promise<FilesUnderTest>): void {
  const check = (title: string, body: (files: IndexFiles) => void): void =>
    void it(title, async () => {
      await using under = await make();
      body(under.files);
    });

  describe(`${name}: segments`, () => {
    check('gives back what was written, the header in front', (files) => {
      const name = { generation: 1, delta: 0 };
      put(files, name, 'head', ['____', 'one', 'x'.repeat(300_000), 'two']);
      const file = opened(files, name);
      expect(file.size).toBe(4 + 3 + 300_000 + 3);
      expect(file.read(0, 7).toString()).toBe('headone');
      expect(file.read(300_005, 50).toString()).toBe('xxtwo');
      expect(file.read(1_000_000, 50)).toHaveLength(0);
      file.close();
      file.close();
    });

    check('shows nothing before it is finished, and nothing at all when it is discarded', (files) => {
      const name = { generation: 1, delta: 3 };
      const writer = files.create(name);
      writer.append(Buffer.from('half'));
      expect(files.open(name)).toEqual({ refused: 'ENOENT' });
      writer.discard();
      expect(files.open(name)).toEqual({ refused: 'ENOENT' });
      writer.discard();
    });

    check('tells a file that took the place of another, and leaves the other to those who have it open', (files) => {
      const name = { generation: 1, delta: 1 };
      put(files, name, 'AAAA', ['____']);
      const first = opened(files, name);
      const again = opened(files, name);
      expect(again.identity).toBe(first.identity);
      put(files, name, 'BBBB', ['____']);
      const other = opened(files, name);
      expect(other.identity).not.toBe(first.identity);
      expect([first, again, other].map((file) => file.read(0, 4).toString())).toEqual(['AAAA', 'AAAA', 'BBBB']);
      for (const file of [first, again, other]) file.close();
    });
  });

  describe(`${name}: runs`, () => {
    check('gives back the parts of a run in order, until they are cleared', (files) => {
      const runs = files.runs(2);
      runs.write(0, [Buffer.from('a'), Buffer.from('bc')]);
      runs.write(1, []);
      expect(runs.read(0).read(0, 10).toString()).toBe('abc');
      expect(runs.read(1).size).toBe(0);
      runs.write(0, [Buffer.from('again')]);
      expect(runs.read(0).read(1, 3).toString()).toBe('gai');
      runs.clear();
      expect(() => runs.read(0)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    });
  });

  describe(`${name}: CURRENT`, () => {
    check('is what was last flipped to', (files) => {
      expect(files.current()).toBeUndefined();
      files.flip({ generation: 1, deltas: [] });
      files.flip({ generation: 1, deltas: [1, 4, 2] });
      expect(files.current()).toEqual({ generation: 1, deltas: [1, 4, 2] });
    });

    check('knows the bytes of a snapshot', (files) => {
      put(files, { generation: 1, delta: 0 }, 'base', ['____', 'x']);
      put(files, { generation: 1, delta: 1 }, 'd1', ['__']);
      put(files, { generation: 1, delta: 2 }, 'd2', ['__', 'y']);
      expect(files.sizeOf({ generation: 1, deltas: [2] })).toBe(8);
      expect(files.sizeOf({ generation: 2, deltas: [] })).toBe(0);
    });

    check('decides what a sweep leaves: its segments, and nothing else', (files) => {
      const all = [0, 1].flatMap((generation) => [0, 1, 2].map((delta) => ({ generation, delta })));
      for (const name of all) put(files, name, 'seg', ['___']);
      files.runs(1).write(0, [Buffer.from('run')]);
      files.create({ generation: 1, delta: 9 }).append(Buffer.from('half'));
      const kept = opened(files, { generation: 0, delta: 1 });
      files.flip({ generation: 1, deltas: [2] });
      files.sweep({ generation: 1, deltas: [2] });
      expect(all.filter((name) => !('refused' in files.open(name)))).toEqual([
        { generation: 1, delta: 0 },
        { generation: 1, delta: 2 },
      ]);
      expect(() => files.runs(1).read(0)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
      expect(kept.read(0, 3).toString()).toBe('seg');
      kept.close();
      expect(files.current()).toEqual({ generation: 1, deltas: [2] });
      files.sweep(null);
      expect(files.current()).toBeUndefined();
      expect(files.open({ generation: 1, delta: 0 })).toEqual({ refused: 'ENOENT' });
      files.sweep(null);
    });

    check('puts everything aside or removes it, and those who have it open read on [FR-LSI-IDX-RM-03]', (files) => {
      const name = { generation: 3, delta: 0 };
      for (const go of [() => files.quarantine(), () => files.purge()]) {
        put(files, name, 'seg', ['___']);
        files.flip({ generation: 3, deltas: [] });
        const kept = opened(files, name);
        go();
        expect(files.current()).toBeUndefined();
        expect(files.open(name)).toEqual({ refused: 'ENOENT' });
        expect(kept.read(0, 3).toString()).toBe('seg');
        kept.close();
        go();
      }
    });
  });
}

function put(files: IndexFiles, name: SegmentName, header: string, parts: readonly string[]): void {
  const writer = files.create(name);
  for (const part of parts) writer.append(Buffer.from(part));
  writer.writeHeader(Buffer.from(header));
  writer.finish();
}

function opened(files: IndexFiles, name: SegmentName): OpenSegmentFile {
  const file = files.open(name);
  if ('refused' in file) throw new Error(file.refused);
  return file;
}
