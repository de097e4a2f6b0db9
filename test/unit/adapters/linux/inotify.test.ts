import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshnessOn } from '../../../../src/adapters/linux/file-system-kind.ts';
import { openInotify, parseEvents } from '../../../../src/adapters/linux/inotify.ts';
import { openMounts } from '../../../../src/adapters/linux/mounts.ts';
import type { DirectoryWatches, WatchEvent } from '../../../../src/core/ports/index.ts';

let root: string;
let watches: DirectoryWatches;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'writ-inotify-'));
  const opened = openInotify();
  if ('refused' in opened) throw new Error(opened.refused);
  watches = opened;
});

afterEach(() => {
  watches.close();
  rmSync(root, { recursive: true, force: true });
});

const drained = (): WatchEvent[] => {
  const events: WatchEvent[] = [];
  expect(watches.drain((event) => events.push(event))).toBe(events.length);
  return events;
};

describe('inotify', () => {
  it('tells what happened to entries of a directory, in order, once', () => {
    const watch = watches.add(root);
    writeFileSync(path.join(root, 'a'), 'x');
    mkdirSync(path.join(root, 'd'));
    renameSync(path.join(root, 'a'), path.join(root, 'd', 'b'));
    const events = drained();
    expect(events.map(({ kind, name, isDirectory }) => [kind, name, isDirectory])).toEqual([
      ['CREATE', 'a', false],
      ['MODIFY', 'a', false],
      ['CLOSE_WRITE', 'a', false],
      ['CREATE', 'd', true],
      ['MOVED_FROM', 'a', false],
    ]);
    expect(events.every((event) => event.watch === watch)).toBe(true);
    expect(events.at(-1)?.cookie).toBeGreaterThan(0);
    expect(drained()).toEqual([]);
  });

  it('keeps the bytes of a name', () => {
    watches.add(Buffer.from(root));
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x61])]), '');
    expect(drained()[0]?.name).toBe('\u00ffa');
  });

  it('has one number for a directory, however often it is added', () => {
    expect(watches.add(`${root}/`)).toBe(watches.add(Buffer.from(root)));
  });

  it('refuses what is no directory, with the name of the error', () => {
    writeFileSync(path.join(root, 'file'), '');
    symlinkSync(root, path.join(root, 'link'));
    expect(watches.add(path.join(root, 'file'))).toEqual({ refused: 'ENOTDIR' });
    expect(watches.add(path.join(root, 'link'))).toEqual({ refused: 'ENOTDIR' });
    expect(watches.add(path.join(root, 'none'))).toEqual({ refused: 'ENOENT' });
  });

  it('says nothing more of a directory whose watch was taken away', () => {
    const watch = watches.add(root);
    if (typeof watch !== 'number') throw new Error(watch.refused);
    watches.remove(watch);
    watches.remove(watch);
    appendFileSync(path.join(root, 'a'), 'x');
    expect(drained().map(({ kind }) => kind)).toEqual(['IGNORED']);
  });

  it('has nothing to say when it is closed', () => {
    watches.add(root);
    watches.close();
    watches.close();
    expect(drained()).toEqual([]);
    expect(watches.add(root)).toEqual({ refused: 'EBADF' });
  });

  it('understands that the queue was full', () => {
    const block = Buffer.alloc(16);
    new Int32Array(block.buffer, block.byteOffset, 4).set([-1, 0x4000, 0, 0]);
    const events: WatchEvent[] = [];
    parseEvents(block, (event) => events.push(event));
    expect(events).toEqual([{ watch: -1, kind: 'OVERFLOW', isDirectory: false, cookie: 0, name: '' }]);
  });
});

describe('where inotify tells everything', () => {
  it('is not on a file system of the kernel itself, and not where nothing is', () => {
    expect(freshnessOn('/proc')).toBe('none');
    expect(freshnessOn(path.join(root, 'none'))).toBe('stat');
    expect(freshnessOn('/dev/shm')).toBe('inotify');
  });

  it('the mounts of a directory are those beneath it, and they do not change by themselves', () => {
    const mounts = openMounts('/proc');
    expect(mounts.changed()).toBeUndefined();
    const all = openMounts('/');
    expect(all.beneath.map(String)).toContain('/proc');
    all.close();
    mounts.close();
    expect(mounts.changed()).toBeUndefined();
  });
});
