import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { freshnessOn } from '../../../src/adapters/linux/file-system-kind.ts';
import { openInotify } from '../../../src/adapters/linux/inotify.ts';
import { OVERLAY_MAX } from '../../../src/content-search/ngram-index/watch/overlay.ts';
import type { DirectoryWatches } from '../../../src/core/ports/index.ts';
import { armAndPublish, complete, createWatchRig, overlayOf } from './watch-rig.ts';

describe('the watch over a tree that cannot be watched, or changes more than can be kept', () => {
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
