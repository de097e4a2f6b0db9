import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeTreeFiles } from '../../../../../src/content-search/io/tree/read.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'writ-files-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (name: string): string => join(root, name);

describe('the files of a tree', () => {
  it('are read whole up to the limit, with what the descriptor tells of them', () => {
    const files = nodeTreeFiles();
    for (const size of [0, 1, 65_535, 65_536, 65_537, 200_000]) {
      writeFileSync(at('file'), Buffer.alloc(size, size % 251));
      const read = files.read(at('file'), 200_000);
      if ('refused' in read) throw new Error(read.refused);
      expect(read.bytes.equals(Buffer.alloc(size, size % 251))).toBe(true);
      const { mtimeNs, ctimeNs, ino, dev } = statSync(at('file'), { bigint: true });
      expect(read.stat).toEqual({ size, mtimeNs, ctimeNs, ino, dev, links: 1, ownerMayRead: true });
      expect(read.stable).toBe(true);
      expect(files.stat(at('file'))).toEqual(read.stat);
    }
  });

  it('are not read above the limit', () => {
    writeFileSync(at('file'), 'four');
    expect(nodeTreeFiles().read(at('file'), 3)).toMatchObject({ bytes: Buffer.alloc(0), stat: { size: 4 }, stable: true });
    expect(nodeTreeFiles().read(at('file'), 4)).toMatchObject({ bytes: Buffer.from('four') });
  });

  it('are read window after window, each from where the last one was done', () => {
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 251));
    writeFileSync(at('file'), bytes);
    for (const window of [7, 100, 999, 1000, 5000]) {
      let [place, lasts] = [0, 0];
      const read = nodeTreeFiles().readWindows(at('file'), window, (piece, isLast) => {
        expect(piece.equals(bytes.subarray(place, place + Math.min(window, 1000 - place)))).toBe(true);
        lasts += isLast ? 1 : 0;
        const done = isLast ? piece.length : Math.ceil(piece.length / 2);
        place += done;
        return done;
      });
      expect(read).toMatchObject({ bytesRead: 1000, isWhole: true, stable: true, stat: { size: 1000 } });
      expect([place, lasts]).toEqual([1000, 1]);
    }
  });

  it('are not whole when somebody gives up on them, or when they grow', () => {
    writeFileSync(at('file'), 'x'.repeat(100));
    expect(nodeTreeFiles().readWindows(at('file'), 10, () => undefined)).toMatchObject({ bytesRead: 10, isWhole: false, stable: false });
    const grown = nodeTreeFiles().readWindows(at('file'), 60, (piece, isLast) => {
      if (!isLast) writeFileSync(at('file'), 'y'.repeat(500));
      return piece.length;
    });
    expect(grown).toMatchObject({ bytesRead: 100, stable: false });
    expect(nodeTreeFiles().readWindows(at('none'), 10, () => 1)).toEqual({ refused: 'ENOENT' });
  });

  it('are none when they are links, directories, FIFOs or not there, and nothing waits for them', () => {
    const files = nodeTreeFiles();
    writeFileSync(at('file'), 'text');
    symlinkSync('file', at('link'));
    mkdirSync(at('directory'));
    execFileSync('mkfifo', [at('fifo')]);
    const refusals = ['link', 'directory', 'fifo', 'nothing', 'file/beneath'].map((name) => [files.read(at(name), 10), files.stat(at(name))]);
    expect(refusals).toEqual([
      [{ refused: 'ELOOP' }, { refused: 'EINVAL' }],
      [{ refused: 'EINVAL' }, { refused: 'EINVAL' }],
      [{ refused: 'EINVAL' }, { refused: 'EINVAL' }],
      [{ refused: 'ENOENT' }, { refused: 'ENOENT' }],
      [{ refused: 'ENOTDIR' }, { refused: 'ENOTDIR' }],
    ]);
  });

  it('say that they are not stable when they have other bytes than their size says', () => {
    // In /proc every file has size 0.
    expect(nodeTreeFiles().read('/proc/self/status', 10_000)).toMatchObject({ stable: false, stat: { size: 0 } });
  });

  it('have names of any bytes', () => {
    const name = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x61])]);
    writeFileSync(name, 'text');
    expect(nodeTreeFiles().read(name, 10)).toMatchObject({ bytes: Buffer.from('text') });
  });
});
