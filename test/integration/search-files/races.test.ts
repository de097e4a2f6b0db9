import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Libc, libc } from '../../../src/adapters/linux/libc.ts';
import { createFilesRig, type FilesRig, idsOf, LEVELS, searchFiles } from '../../support/search-files.ts';

/** Exchanges the directory `swap` for the link `link` and back until it is told to stop; counts in `state[1]`. */
const ATTACKER = `
  const { workerData: { directory, state } } = require('node:worker_threads');
  const { renameSync } = require('node:fs');
  const [swap, link, aside] = ['swap', 'link', 'aside'].map((name) => directory + '/' + name);
  while (Atomics.load(state, 0) === 0) {
    renameSync(swap, aside);
    renameSync(link, swap);
    renameSync(swap, link);
    renameSync(aside, swap);
    Atomics.add(state, 1, 1);
  }
`;
const SWAPS = 5000;

describe.each(LEVELS)('a search of a tree that somebody changes meanwhile, confined by %s,', (level) => {
  let rig: FilesRig;
  beforeEach(() => {
    rig = createFilesRig('memory');
    mkdirSync(path.join(rig.outside, 'deep'));
    for (const name of ['secret e', 'deep/secret e']) writeFileSync(path.join(rig.outside, name), '');
    for (const name of ['a/swap/e', 'a/swap/deep/e', 'a/e', 'b/e']) writeFileSync(rig.at(name), '');
  });
  afterEach(() => rig.close());

  it('never shows what lies outside, however often a directory becomes a link to it', { tags: ['SE-38', 'SE-39'] }, async () => {
    symlinkSync(rig.outside, rig.at('a/link'));
    const state = new Int32Array(new SharedArrayBuffer(8));
    const attacker = new Worker(ATTACKER, { eval: true, workerData: { directory: rig.at('a'), state } });
    const ended = new Promise((resolve, reject) => attacker.once('exit', resolve).once('error', reject));
    const seen = new Set<string>();
    try {
      await new Promise((resolve) => attacker.once('online', resolve));
      while (Atomics.load(state, 1) < SWAPS) for (const id of await idsOf(searchFiles(level, rig.root, 'e'))) seen.add(id);
    } finally {
      Atomics.store(state, 0, 1);
      await ended;
    }
    const allowed = ['a/e', 'b/e', ...['swap', 'aside', 'link'].flatMap((name) => [`a/${name}/e`, `a/${name}/deep/e`])];
    expect([...seen].filter((id) => !allowed.includes(id))).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining(['a/e', 'b/e', 'a/swap/e']));
  });

  const CHANGES = {
    'is removed': (place: string) => rmSync(place, { recursive: true }),
    'becomes a file': (place: string) => {
      rmSync(place, { recursive: true });
      writeFileSync(place, '');
    },
    'becomes a link to the outside': (place: string, outside: string) => {
      renameSync(place, path.join(outside, 'gone'));
      symlinkSync(outside, place);
    },
  };

  it.each(Object.entries(CHANGES))('counts a directory as never there that %s between the reading of its name and its opening', async (_what, change) => {
    let done = false;
    const strike = (name: string): void => {
      if (name !== 'swap' || done) return;
      done = true;
      change(rig.at('a/swap'), rig.outside);
    };
    const calls: Partial<Libc> = {
      openat2Sync(at, name, how) {
        strike(name);
        return libc().openat2Sync(at, name, how);
      },
      openatSync(at, name, flags) {
        strike(name);
        return libc().openatSync(at, name, flags);
      },
    };
    expect(await idsOf(searchFiles(level, rig.root, 'e', 10, calls))).toEqual(['a/e', 'b/e']);
    expect(done).toBe(true);
  });

  it('counts the rest of a directory as never there that is removed while it is read', async () => {
    let reads = 0;
    const getdentsSync = (fd: number, block: Uint8Array): number => {
      // Root, its end, then the first of both directories, open already and now gone.
      if (++reads === 3) for (const name of ['a', 'b']) rmSync(rig.at(name), { recursive: true });
      return libc().getdentsSync(fd, block);
    };
    expect(await idsOf(searchFiles(level, rig.root, 'e', 10, { getdentsSync }))).toEqual([]);
  });
});
