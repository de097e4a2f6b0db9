import { appendFileSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { armAndPublish, complete, createWatchRig, overlayOf, type WatchRig } from './watch-rig.ts';

describe('the watch over a tree', () => {
  it('has nothing to tell when nothing happens', async () => {
    using rig = createWatchRig();
    writeFileSync(rig.at('a'), 'x');
    await armAndPublish(rig.watch);
    expect(overlayOf(rig)).toEqual({ veto: null, files: [], subtrees: [] });
  });

  it('watches the directories of the walk and no other', async () => {
    using rig = createWatchRig();
    writeFileSync(rig.at('.gitignore'), 'node_modules\n');
    for (const name of ['src', 'node_modules', '.hid', '.git']) mkdirSync(rig.at(name, 'deep'), { recursive: true });
    expect(await rig.watch.arm()).toMatchObject({ ok: true, directories: 3 });
    mkdirSync(rig.at('src', 'node_modules'));
    rig.watch.publish(complete());
    for (const name of ['node_modules', '.hid', 'src/node_modules']) writeFileSync(rig.at(name, 'x'), '');
    expect(overlayOf(rig)).toMatchObject({ files: [], subtrees: ['src/node_modules'] });
  });

  it('knows of a file in directories that were made a moment before', async () => {
    using rig = createWatchRig();
    await armAndPublish(rig.watch);
    mkdirSync(rig.at('a', 'b', 'c'), { recursive: true });
    writeFileSync(rig.at('a', 'b', 'c', 'd'), 'x');
    expect(overlayOf(rig)).toEqual({ veto: null, files: [], subtrees: ['a'] });
    // Whoever has read the new directory now has read it watched.
    const { entries } = await rig.watch.pending(10);
    rig.watch.publish(complete({ covered: entries }));
    expect(overlayOf(rig)).toEqual({ veto: null, files: [], subtrees: [] });
    writeFileSync(rig.at('a', 'b', 'c', 'd'), 'y');
    expect(overlayOf(rig)).toEqual({ veto: null, files: ['a/b/c/d'], subtrees: [] });
  });

  it('tells what happens in a directory that was moved under the new path, not the old one', async () => {
    using rig = createWatchRig();
    mkdirSync(rig.at('old', 'deep'), { recursive: true });
    await armAndPublish(rig.watch);
    renameSync(rig.at('old'), rig.at('new'));
    const { entries } = await rig.watch.pending(10);
    rig.watch.publish(complete({ covered: entries }));
    writeFileSync(rig.at('new', 'deep', 'a'), 'x');
    expect(overlayOf(rig)).toEqual({ veto: null, files: ['new/deep/a'], subtrees: [] });
  });

  it.each(['.gitignore', '.ignore'])('allows nothing once %s has changed, until it was armed and looked at anew', { tags: ['LSI-TM-04'] }, async (name) => {
    using rig = createWatchRig();
    mkdirSync(rig.at('src'));
    await armAndPublish(rig.watch);
    writeFileSync(rig.at('src', name), '*.log\n');
    expect(overlayOf(rig).veto).toBe('ELIGIBILITY');
    const { seq } = await rig.watch.pending(1);
    rig.watch.publish(complete({ coveredThrough: seq, lifts: { through: seq } }));
    expect(overlayOf(rig).veto).toBe('ELIGIBILITY');
    // Said again, because nobody works on it otherwise.
    expect(rig.vetoes).toEqual(['ELIGIBILITY', 'ELIGIBILITY']);
    await armAndPublish(rig.watch);
    expect(overlayOf(rig).veto).toBeNull();
  });

  it('does not care about ignore files where they do not count', async () => {
    using rig = createWatchRig({}, { noIgnore: true });
    await armAndPublish(rig.watch);
    writeFileSync(rig.at('.gitignore'), '*.log\n');
    expect(overlayOf(rig)).toEqual({ veto: null, files: ['.gitignore'], subtrees: [] });
  });

  it('notices rules that are outside of the walk', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'writ-ignore-'));
    const globalIgnoreFile = path.join(home, 'ignore');
    using rig = createWatchRig({ globalIgnoreFile });
    await armAndPublish(rig.watch);
    mkdirSync(rig.at('.git', 'info'), { recursive: true });
    writeFileSync(rig.at('.git', 'info', 'exclude'), 'a\n');
    expect(overlayOf(rig).veto).toBe('ELIGIBILITY');
    await armAndPublish(rig.watch);
    // As long as before, and within the same tick of the clock.
    writeFileSync(rig.at('.git', 'info', 'exclude'), 'b\n');
    expect(overlayOf(rig).veto).toBe('ELIGIBILITY');
    await armAndPublish(rig.watch);
    writeFileSync(globalIgnoreFile, 'c\n');
    expect(overlayOf(rig).veto).toBe('ELIGIBILITY');
    rmSync(home, { recursive: true });
  });

  it('allows nothing when the path of the root leads elsewhere', async () => {
    using rig = createWatchRig();
    await armAndPublish(rig.watch);
    renameSync(rig.root, `${rig.root}-moved`);
    mkdirSync(rig.root);
    expect(overlayOf(rig).veto).toBe('WATCHER_DOWN');
    rmSync(`${rig.root}-moved`, { recursive: true });
  });

  it('allows nothing when a directory above the root was replaced, which is no event', async () => {
    using outer = createWatchRig();
    mkdirSync(outer.at('a', 'root'), { recursive: true });
    using rig = createWatchRig({}, { root: outer.at('a', 'root') });
    await armAndPublish(rig.watch);
    renameSync(outer.at('a'), outer.at('b'));
    symlinkSync(outer.at('b'), outer.at('a'));
    expect(overlayOf(rig).veto).toBe('WATCHER_DOWN');
  });

  it.each([
    ['stays', (at: WatchRig['at']) => linkSync(at('a'), at('b'))],
    [
      'is gone again',
      (at: WatchRig['at']) => {
        linkSync(at('a'), at('b'));
        appendFileSync(at('b'), 'y');
        unlinkSync(at('b'));
      },
    ],
    [
      'is in a new directory',
      (at: WatchRig['at']) => {
        mkdirSync(at('d', 'e'), { recursive: true });
        linkSync(at('a'), at('d', 'e', 'b'));
        appendFileSync(at('d', 'e', 'b'), 'y');
      },
    ],
  ] as const)('allows nothing when a file got a second name that %s', async (_, change) => {
    using rig = createWatchRig();
    writeFileSync(rig.at('a'), 'x');
    await armAndPublish(rig.watch);
    change(rig.at);
    expect(overlayOf(rig).veto).toBe('HARD_LINK');
  });

  it.each([
    [
      'got a second name by which it was written',
      false,
      (at: WatchRig['at']) => {
        linkSync(at('.gitignore'), at('b'));
        appendFileSync(at('b'), 'y\n');
      },
    ],
    [
      'got one that is gone again',
      false,
      (at: WatchRig['at']) => {
        linkSync(at('.gitignore'), at('b'));
        appendFileSync(at('b'), 'y\n');
        unlinkSync(at('b'));
      },
    ],
    ['had one before, by which it was written', true, (at: WatchRig['at']) => appendFileSync(at('old'), 'y\n')],
  ] as const)('allows nothing when an ignore file %s', async (_, isLinked, change) => {
    using rig = createWatchRig();
    writeFileSync(rig.at('.gitignore'), 'x\n');
    if (isLinked) linkSync(rig.at('.gitignore'), rig.at('old'));
    await armAndPublish(rig.watch);
    expect(overlayOf(rig).veto).toBeNull();
    change(rig.at);
    expect(overlayOf(rig).veto).toBe('ELIGIBILITY');
    await armAndPublish(rig.watch);
    expect(overlayOf(rig).veto).toBeNull();
  });

  it('allows nothing when rules outside of the walk were others for a moment: a pass may have read them then', async () => {
    using rig = createWatchRig();
    mkdirSync(rig.at('.git', 'info'), { recursive: true });
    const exclude = rig.at('.git', 'info', 'exclude');
    writeFileSync(exclude, '*.log\n');
    await armAndPublish(rig.watch);
    expect(overlayOf(rig).veto).toBeNull();
    const { ctimeNs } = statSync(exclude, { bigint: true });
    // Until the clock of the file system has gone on.
    do {
      writeFileSync(exclude, '');
      writeFileSync(exclude, '*.log\n');
    } while (statSync(exclude, { bigint: true }).ctimeNs === ctimeNs);
    expect(overlayOf(rig).veto).toBe('ELIGIBILITY');
    await armAndPublish(rig.watch);
    expect(overlayOf(rig).veto).toBeNull();
  });

  it('takes a temporary file that replaces another one for what it is', { tags: ['LSI-ST-31'] }, async () => {
    using rig = createWatchRig();
    writeFileSync(rig.at('a'), 'x');
    await armAndPublish(rig.watch);
    writeFileSync(rig.at('a.tmp'), 'y');
    renameSync(rig.at('a.tmp'), rig.at('a'));
    expect(overlayOf(rig)).toEqual({ veto: null, files: ['a', 'a.tmp'], subtrees: [] });
  });
});
