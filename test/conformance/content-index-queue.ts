import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { ContentIndexStore, DirtyEntry, IndexRecordChanges, IndexRecords } from '../../src/core/ports/index.ts';
import { COMPLETE, dirtyAt, metaFor, T0 } from './content-index-samples.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** One statement about a store, shown on records of its own. */
export type Check = (
  title: string,
  body: (on: {
    readonly write: <T>(work: (records: IndexRecordChanges) => T) => T;
    readonly read: <T>(work: (records: IndexRecords) => T) => T;
    readonly store: ContentIndexStore;
  }) => void,
) => void;

export const told = (entries: readonly DirtyEntry[]): string[] =>
  entries.map(({ path, kind, queuedAtMs, seq }) => `${Buffer.from(path).toString('latin1')} ${kind} ${queuedAtMs} ${seq}`);

/** The queue of what has changed (FR-LSI-TRK-05, -10). */
export function dirtyQueueConformance(name: string, check: Check): void {
  describe(`${name}: dirty queue`, () => {
    check('has files and subtrees, oldest first, equal times by order key, then by bytes [FR-LSI-TRK-05, FR-LSI-TRK-10]', ({ write, read }) => {
      const composed = dirtyAt('\u00e9', T0, 3);
      const decomposed = dirtyAt('e\u0301', T0, 4);
      write((records) => {
        records.create(metaFor('a'), COMPLETE);
        records.enqueue('a', [
          dirtyAt('z', T0 - 1, 5),
          composed,
          dirtyAt('b/', T0, 2, 'SUBTREE'),
          decomposed,
          dirtyAt('', T0 + 1, 6, 'SUBTREE'),
          dirtyAt('B', T0, 1),
        ]);
        records.enqueue('nobody', [composed]);
      });
      expect(read((records) => told(records.dirty('a', 10)))).toEqual([
        `z FILE ${T0 - 1} 5`,
        `B FILE ${T0} 1`,
        `b/ SUBTREE ${T0} 2`,
        `e\u00cc\u0081 FILE ${T0} 4`,
        `\u00c3\u00a9 FILE ${T0} 3`,
        ` SUBTREE ${T0 + 1} 6`,
      ]);
      expect(read((records) => told(records.dirty('a', 2)))).toEqual([`z FILE ${T0 - 1} 5`, `B FILE ${T0} 1`]);
      expect(read((records) => [records.dirtyCount('a'), records.dirtyCount('nobody')])).toEqual([6, 0]);
    });

    check('keeps the first time and the newest number of a path, and the larger kind', ({ write, read }) => {
      write((records) => {
        records.create(metaFor('a'), COMPLETE);
        records.enqueue('a', [dirtyAt('f', T0 + 5, 5), dirtyAt('g', T0, 1, 'SUBTREE')]);
        records.enqueue('a', [dirtyAt('f', T0 + 2, 3, 'SUBTREE'), dirtyAt('g', T0 + 9, 8)]);
        records.enqueue('a', [dirtyAt('f', T0 + 9, 9)]);
      });
      expect(read((records) => told(records.dirty('a', 10)))).toEqual([`g SUBTREE ${T0} 8`, `f SUBTREE ${T0 + 2} 9`]);
    });

    check('does not drop a path that changed again since it was read', ({ write, read }) => {
      write((records) => {
        records.create(metaFor('a'), COMPLETE);
        records.enqueue('a', [dirtyAt('f', T0, 1), dirtyAt('g', T0, 2), dirtyAt('h', T0, 3)]);
        records.enqueue('a', [dirtyAt('f', T0, 4)]);
        records.dequeue('a', [
          { path: bytes('f'), seq: 1 },
          { path: bytes('g'), seq: 2 },
          { path: bytes('none'), seq: 9 },
        ]);
      });
      expect(read((records) => told(records.dirty('a', 10)))).toEqual([`f FILE ${T0} 4`, `h FILE ${T0} 3`]);
      write((records) => records.clearDirty('a', 3));
      expect(read((records) => told(records.dirty('a', 10)))).toEqual([`f FILE ${T0} 4`]);
      write((records) => records.clearDirty('a'));
      expect(read((records) => records.dirtyCount('a'))).toBe(0);
    });

    check('does with any history what a plain list would do [FR-LSI-TRK-10]', ({ write, read }) => {
      const entry = fc
        .tuple(
          fc.uint8Array({ maxLength: 2, max: 3 }),
          fc.constantFrom('FILE' as const, 'SUBTREE' as const),
          fc.integer({ min: 0, max: 3 }),
          fc.integer({ min: 0, max: 9 }),
        )
        .map(([path, kind, at, seq]) => ({ ...dirtyAt(path, T0 + at, seq, kind) }));
      const step = fc.oneof(
        fc.array(entry, { maxLength: 5 }).map((entries) => ({ do: 'enqueue' as const, entries })),
        fc.array(entry, { maxLength: 5 }).map((entries) => ({ do: 'dequeue' as const, entries })),
        fc.integer({ min: 0, max: 9 }).map((seq) => ({ do: 'clear' as const, seq })),
      );
      fc.assert(
        fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
          write((records) => records.create(metaFor('a'), COMPLETE));
          let model: DirtyEntry[] = [];
          for (const one of steps) {
            write((records) => {
              if (one.do === 'enqueue') records.enqueue('a', one.entries);
              else if (one.do === 'dequeue') records.dequeue('a', one.entries);
              else records.clearDirty('a', one.seq);
            });
            model = after(model, one);
            expect(read((records) => told(records.dirty('a', 100)))).toEqual(told(model));
          }
        }),
        { numRuns: 40 },
      );
    });
  });
}

type Step = { do: 'enqueue' | 'dequeue'; entries: readonly DirtyEntry[] } | { do: 'clear'; seq: number };

/** The queue as the port describes it, in the plainest way. */
function after(queue: readonly DirtyEntry[], step: Step): DirtyEntry[] {
  if (step.do === 'clear') return queue.filter(({ seq }) => seq > step.seq);
  let next = [...queue];
  for (const entry of step.entries) {
    const same = next.find(({ path }) => Buffer.compare(path, entry.path) === 0);
    const others = next.filter((other) => other !== same);
    if (step.do === 'dequeue') next = same !== undefined && same.seq <= entry.seq ? others : next;
    else if (same === undefined) next = [...others, entry];
    else {
      const kind = [same.kind, entry.kind].includes('SUBTREE') ? 'SUBTREE' : 'FILE';
      next = [...others, { ...same, kind, queuedAtMs: Math.min(same.queuedAtMs, entry.queuedAtMs), seq: Math.max(same.seq, entry.seq) }];
    }
  }
  return next.sort((a, b) => a.queuedAtMs - b.queuedAtMs || Buffer.compare(a.orderKey, b.orderKey) || Buffer.compare(a.path, b.path));
}
