import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOverlay } from '../../../../../src/content-search/ngram-index/watch/overlay.ts';
import type { OverlayEntry } from '../../../../../src/core/ports/index.ts';

describe('the overlay', () => {
  it('has one entry for each path and kind, with the number of the last event, oldest first', { tags: ['FR-LSI-TRK-10'] }, () => {
    const overlay = createOverlay();
    overlay.touch('FILE', 'a');
    overlay.touch('FILE', 'b');
    overlay.touch('FILE', 'a');
    expect(overlay.take(10)).toEqual([
      { kind: 'FILE', path: 'b', seq: 2 },
      { kind: 'FILE', path: 'a', seq: 3 },
    ]);
    expect(overlay.take(1)).toHaveLength(1);
  });

  it('forgets what is covered, but for what happened since', () => {
    const overlay = createOverlay();
    overlay.touch('FILE', 'a');
    overlay.touch('FILE', 'b');
    const taken = overlay.take(10);
    overlay.touch('FILE', 'b');
    overlay.touch('SUBTREE', 'c');
    overlay.forget(taken, 0);
    expect(overlay.paths()).toEqual({ files: ['b'], subtrees: ['c'] });
    overlay.forget([], 3);
    expect(overlay.paths()).toEqual({ files: [], subtrees: ['c'] });
  });

  it('keeps a new tree of many files as one entry, until somebody reads it', () => {
    const overlay = createOverlay();
    overlay.touch('SUBTREE', 'new');
    overlay.touch('FILE', 'new/a');
    overlay.touch('FILE', 'new/deep/b');
    overlay.touch('FILE', 'newer');
    const taken = overlay.take(10);
    expect(taken.map(({ path }) => path)).toEqual(['new', 'newer']);
    overlay.touch('FILE', 'new/a');
    overlay.forget(taken, 0);
    expect(overlay.paths()).toEqual({ files: ['new/a'], subtrees: [] });
  });

  it('gives the same paths and the same version as long as nothing changes', () => {
    const overlay = createOverlay();
    overlay.touch('FILE', 'a');
    const { version } = overlay;
    const paths = overlay.paths();
    overlay.touch('FILE', 'a');
    expect(overlay.version).toBe(version);
    expect(overlay.paths()).toBe(paths);
    overlay.touch('FILE', 'b');
    expect(overlay.version).not.toBe(version);
    expect(paths.files).toEqual(['a']);
  });

  it('lets the root stand for everything when there are too many', () => {
    const overlay = createOverlay(0, 3);
    expect(['a', 'b', 'c', 'd'].map((path) => overlay.touch('FILE', path))).toEqual([undefined, undefined, undefined, 'BACKLOG']);
    expect(overlay.take(10)).toEqual([{ kind: 'SUBTREE', path: '', seq: 4 }]);
  });

  it('never loses an event that no snapshot covers', () => {
    const path = fc.constantFrom('a', 'b', 'd', 'd/a', 'd/b', 'd/e/c');
    const action = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('touch' as const), kind: fc.constantFrom('FILE' as const, 'SUBTREE' as const), path }) },
      fc.record({ do: fc.constant('take' as const), limit: fc.integer({ min: 0, max: 4 }) }),
      fc.record({ do: fc.constant('cover' as const) }),
      fc.record({ do: fc.constant('pass' as const) }),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const overlay = createOverlay(0, 5);
        /** Events since the file was last read by somebody whose result is published. */
        const open = new Map<string, number>();
        let clock = 0;
        let taken: { entries: readonly OverlayEntry[]; at: number } = { entries: [], at: 0 };
        for (const each of actions) {
          clock += 1;
          if (each.do === 'touch') {
            overlay.touch(each.kind, each.path);
            open.set(each.path, clock);
          } else if (each.do === 'take') taken = { entries: overlay.take(each.limit), at: clock };
          else if (each.do === 'cover') {
            overlay.forget(taken.entries, 0);
            const isRead = (one: string): boolean =>
              taken.entries.some(({ kind, path: at }) => one === at || (kind === 'SUBTREE' && (at === '' || one.startsWith(`${at}/`))));
            for (const [one, at] of open) if (at <= taken.at && isRead(one)) open.delete(one);
          } else {
            overlay.forget([], overlay.seq);
            open.clear();
          }
          const { files, subtrees } = overlay.paths();
          for (const one of open.keys()) {
            expect(files.includes(one) || subtrees.some((at) => at === '' || one === at || one.startsWith(`${at}/`))).toBe(true);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
