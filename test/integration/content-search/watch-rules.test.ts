import { appendFileSync, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { freshnessOn } from '../../../src/adapters/linux/file-system-kind.ts';
import { openInotify } from '../../../src/adapters/linux/inotify.ts';
import { OVERLAY_MAX } from '../../../src/content-search/ngram-index/watch/overlay.ts';
import type { DirectoryWatches } from '../../../src/core/ports/index.ts';
import { inMountNamespace } from '../../support/mounts.ts';
import { armAndPublish, complete, createWatchRig, type WatchRig } from './watch-rig.ts';

function overlayOf({ watch }: WatchRig) {
  watch.look();
  const { files, subtrees } = watch.overlay();
  return { veto: watch.veto, files: [...files].sort(), subtrees: [...subtrees].sort() };
}

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

  it('refuses to watch a part of a tree when watches run out, and says so when they run out later', async () => {
    let left = 2;
    const openWatches = (): DirectoryWatches => {
      const watches = openInotify();
      if ('refused' in watches) throw new Error(watches.refused);
      const add: DirectoryWatches['add'] = (directory) => {
        left -= 1;
        return left < 0 ? { refused: 'ENOSPC' } : watches.add(directory);
      };
      return { ...watches, add };
    };
    using rig = createWatchRig({ openWatches });
    for (const name of ['a', 'b']) mkdirSync(rig.at(name));
    expect(await rig.watch.arm()).toEqual({ ok: false, refused: 'LIMIT' });
    rig.watch.publish(complete());
    expect(overlayOf(rig).veto).toBe('NOT_ARMED');
    left = 3;
    await armAndPublish(rig.watch);
    expect(overlayOf(rig).veto).toBeNull();
    mkdirSync(rig.at('c'));
    expect(overlayOf(rig).veto).toBe('WATCHER_DOWN');
  });

  it('says LIMIT when this user has no instance left', async () => {
    using rig = createWatchRig({ openWatches: () => ({ refused: 'EMFILE' }) });
    expect(await rig.watch.arm()).toEqual({ ok: false, refused: 'LIMIT' });
  });

  it('is not asked for watches where the writer relies on looking at files', async () => {
    using rig = createWatchRig({ freshnessOn: () => 'stat' });
    expect(await rig.watch.arm()).toEqual({ ok: false, refused: 'FILE_SYSTEM' });
    rig.watch.publish(complete({ guarantee: 'stat' }));
    expect(overlayOf(rig).veto).toBeNull();
    rig.watch.publish(complete({ guarantee: 'stat', state: 'UNCERTAIN' }));
    expect(overlayOf(rig).veto).toBe('NOT_COMPLETE');
  });

  it('relies on nothing where not even looking at a file tells the truth', { tags: ['FR-LSI-CAND-02'] }, async () => {
    using rig = createWatchRig({ freshnessOn: () => 'none' });
    expect(await rig.watch.arm()).toEqual({ ok: false, refused: 'REMOTE' });
    expect(freshnessOn('/proc')).toBe('none');
    expect(freshnessOn(rig.root)).toBe('inotify');
  });

  it('allows exclusion again when a snapshot covers what more changes than an overlay holds have become', { tags: ['LSI-ST-27'] }, async () => {
    using rig = createWatchRig();
    mkdirSync(rig.at('names'));
    writeFileSync(rig.at('names', 'n0'), '');
    await armAndPublish(rig.watch);
    const renames = (from: number): void => {
      for (let at = from; at <= from + OVERLAY_MAX; at += 1) {
        renameSync(rig.at('names', `n${at}`), rig.at('names', `n${at + 1}`));
        if (at % 1_000 === 0) rig.watch.look();
      }
      rig.watch.look();
    };
    for (const from of [0, 2 * OVERLAY_MAX]) {
      if (from > 0) writeFileSync(rig.at('names', `n${from}`), '');
      renames(from);
      expect([rig.watch.veto, rig.vetoes.splice(0)]).toEqual(['BACKLOG', ['BACKLOG']]);
      const { entries, more } = await rig.watch.pending(OVERLAY_MAX);
      expect([entries.map(({ path: at }) => at), more]).toEqual([[''], false]);
      // As an update does, which lifts nothing.
      rig.watch.publish(complete({ covered: entries }));
      expect(rig.watch.veto).toBeNull();
    }
  });

  it('keeps a backlog that has grown while it was worked on', async () => {
    using rig = createWatchRig();
    writeFileSync(rig.at('n0'), '');
    await armAndPublish(rig.watch);
    for (let at = 0; at <= OVERLAY_MAX; at += 1) {
      renameSync(rig.at(`n${at}`), rig.at(`n${at + 1}`));
      if (at % 1_000 === 0) rig.watch.look();
    }
    const { entries } = await rig.watch.pending(OVERLAY_MAX);
    for (let at = OVERLAY_MAX + 1; at <= 2 * OVERLAY_MAX + 1; at += 1) {
      renameSync(rig.at(`n${at}`), rig.at(`n${at + 1}`));
      if (at % 1_000 === 0) rig.watch.look();
    }
    rig.watch.look();
    rig.watch.publish(complete({ covered: entries }));
    expect(rig.watch.veto).toBe('BACKLOG');
  });

  it('lets an arming that begins later win', async () => {
    using rig = createWatchRig();
    const [first, second] = await Promise.all([rig.watch.arm(), rig.watch.arm()]);
    expect([first, second]).toMatchObject([{ ok: false, refused: 'ECANCELED' }, { ok: true }]);
  });
});

describe('the watch over a tree with mounts', () => {
  let answers: Record<string, unknown>;
  beforeAll(async () => {
    const outside = mkdtempSync(path.join(tmpdir(), 'writ-watch-mounts-'));
    answers = (await inMountNamespace(new URL('./watch-mount-scenario.ts', import.meta.url), [outside])) as Record<string, unknown>;
    rmSync(outside, { recursive: true, force: true });
  });

  it.each([
    ['nothing', null],
    ['a mount elsewhere', null],
    ['a mount beneath the root', 'MOUNT'],
    ['armed over a mount', null],
    ['told for both paths', ['bound/a', 'real/a']],
    ['a mount that went', 'MOUNT'],
    ['a file system that does not tell everything', { ok: false, refused: 'REMOTE' }],
  ])('says of %s: %j', (question, answer) => expect(answers[question]).toEqual(answer));

  it('allows nothing under a mount over the root', () => expect(['MOUNT', 'WATCHER_DOWN']).toContain(answers['a mount over the root']));
});
