import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTreeSource } from '../../../src/adapters/linux/tree/index.ts';
import { openDescriptors } from '../../support/confined-fs.ts';
import { createFilesRig, type FilesRig, idsOf, LEVELS, searchFiles } from '../../support/search-files.ts';

const OPEN = constants.O_RDONLY | constants.O_DIRECTORY;

/** Makes directories below each other, far beyond the longest path; `decorate` gets each one's place and number from 1. */
function dig(root: string, levels: number, decorate: (place: string, level: number) => void): void {
  let fd = openSync(root, OPEN);
  for (let level = 1; level <= levels; level += 1) {
    const place = `/proc/self/fd/${fd}/d`;
    mkdirSync(place);
    const next = openSync(place, OPEN);
    closeSync(fd);
    fd = next;
    decorate(`/proc/self/fd/${fd}`, level);
  }
  closeSync(fd);
}

describe.each(LEVELS)('a search of a deep tree, confined by %s,', (level) => {
  let rig: FilesRig;
  beforeEach(() => {
    rig = createFilesRig('memory');
  });
  afterEach(() => {
    // Node's own removal fails on paths longer than the kernel takes.
    execFileSync('rm', ['-rf', rig.root]);
    mkdirSync(rig.root);
    rig.close();
  });

  it('reaches the bottom of ten thousand levels', async () => {
    dig(rig.root, 10_000, (place, depth) => {
      if (depth % 2500 === 0) writeFileSync(`${place}/needle`, '');
    });
    const ids = [2500, 5000, 7500, 10_000].map((depth) => `${'d/'.repeat(depth)}needle`);
    // A path is before one that goes on below it when its next character is: `d` comes before `n`.
    expect(await idsOf(searchFiles(level, rig.root, 'needle'))).toEqual(ids.toReversed());
  });

  it('holds a bounded number of descriptors, and comes back to every directory that it left aside', () => {
    // Directories on both sides of the way down: some come before it and some after it, in whatever order they are read.
    dig(rig.root, 1000, (place, depth) => {
      for (const side of ['a', 'z', `${depth}`]) {
        mkdirSync(`${place}/${side}`);
        writeFileSync(`${place}/${side}/f`, '');
      }
    });
    const before = openDescriptors();
    let [directories, files, most] = [0, 0, 0];
    const end = createTreeSource({ level }).walk(rig.root, {
      enter() {
        directories += 1;
        if (directories % 20 === 0) most = Math.max(most, readdirSync('/proc/self/fd').length - before);
      },
      file() {
        files += 1;
      },
    });
    expect(end).toEqual({ ok: true });
    expect(files).toBe(3000);
    expect(most).toBeLessThanOrEqual(140);
    expect(openDescriptors()).toBe(before);
  });

  it('reads on in a directory of many directories after it went deep below the first of them', async () => {
    for (let i = 0; i < 9000; i += 1) mkdirSync(`${rig.root}/${i}`);
    for (let i = 0; i < 9000; i += 1000) dig(`${rig.root}/${i}`, 150, (place, depth) => depth % 50 === 0 && mkdirSync(`${place}/side`));
    for (let i = 0; i < 9000; i += 500) writeFileSync(`${rig.root}/${i}/needle`, '');
    expect(await searchFiles(level, rig.root, 'needle', 1)).toMatchObject({ count: 18 });
  });
});
