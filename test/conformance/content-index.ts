import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BuildCheckpoint, ContentIndexStore, DirtyEntry, IndexRecordChanges, IndexRecords, IndexSafety } from '../../src/core/ports/index.ts';
import { ABSENT, COMPLETE, dirtyAt, metaFor, T0 } from './content-index-samples.ts';

/** Records for one test. */
export interface RecordsUnderTest extends AsyncDisposable {
  readonly store: ContentIndexStore;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const DOUBTFUL: IndexSafety = {
  ...ABSENT,
  state: 'UNCERTAIN',
  reason: 'WATCHER_OVERFLOW_DURING_BUILD',
  causes: [
    { reason: 'WATCHER_OVERFLOW_DURING_BUILD', mark: 9 },
    { reason: 'DIRTY_BACKLOG', mark: 3 },
  ],
  mark: 9,
  building: 5,
  watcherLost: true,
  epoch: 1,
};
const CHECKPOINT: BuildCheckpoint = {
  generation: 'g2',
  lastPath: Buffer.from([0x61, 0xff, 0x2f]),
  epoch: 2,
  files: 1_000,
  bytes: 5_000_000_000,
  savedAtMs: T0,
  stop: null,
};

const told = (entries: readonly DirtyEntry[]): string[] =>
  entries.map(({ path, kind, queuedAtMs, seq }) => `${Buffer.from(path).toString('latin1')} ${kind} ${queuedAtMs} ${seq}`);

/** What every ContentIndexStore does (docs/index-safety.md, local-search-index.md App. E). */
export function contentIndexConformance(name: string, make: () => Promise<RecordsUnderTest>): void {
  const check = (
    title: string,
    body: (on: {
      write: <T>(work: (records: IndexRecordChanges) => T) => T;
      read: <T>(work: (records: IndexRecords) => T) => T;
      store: ContentIndexStore;
    }) => void,
  ): void =>
    void it(title, async () => {
      await using under = await make();
      const { store } = under;
      const value = <T>(answer: ReturnType<typeof store.read<T>>): T => {
        if (!answer.ok) throw new Error(`${answer.refusal}: ${answer.message}`);
        return answer.value;
      };
      body({ store, write: (work) => value(store.write(work)), read: (work) => value(store.read(work)) });
    });

  describe(`${name}: metadata`, () => {
    check('gives back an index as it was created, each component of its key by itself [FR-LSI-IDX-KEY-02.1]', ({ write, read }) => {
      const metas = [
        metaFor('b'),
        metaFor('a', { sizeBytes: 3_000_000_000, generation: 'g7', enumerateErrors: 2, bloom: { ...metaFor('a').bloom, seed: 2n ** 64n - 1n } }),
      ];
      write((records) => metas.forEach((meta) => void records.create(meta, ABSENT)));
      expect(read((records) => records.list())).toEqual([metas[1], metas[0]]);
      expect(read((records) => records.meta('b'))).toEqual(metas[0]);
      expect(read((records) => records.meta('c'))).toBeUndefined();
    });

    check('changes what is said, and nothing else', ({ write, read }) => {
      write((records) => {
        records.create(metaFor('a'), COMPLETE);
        records.create(metaFor('b'), ABSENT);
        records.update('a', { sizeBytes: 12 }, T0 + 1);
        records.update('a', { generation: 'g2', enumerateErrors: 1 }, T0 + 2);
        records.update('nobody', { sizeBytes: 1 }, T0);
      });
      expect(read((records) => records.meta('a'))).toEqual(metaFor('a', { sizeBytes: 12, generation: 'g2', enumerateErrors: 1, updatedAtMs: T0 + 2 }));
      expect(read((records) => records.meta('b'))).toEqual(metaFor('b'));
      expect(read((records) => records.safety('a'))).toEqual(COMPLETE);
      write((records) => records.update('a', { generation: null }, T0 + 3));
      expect(read((records) => records.meta('a')?.generation)).toBeNull();
    });

    check('remembers the last access, which never goes back', ({ write, read }) => {
      write((records) => {
        records.create(metaFor('a'), ABSENT);
        records.touch('a', T0 + 50);
        records.touch('a', T0 + 20);
        records.touch('nobody', T0);
      });
      expect(read((records) => records.meta('a'))).toEqual(metaFor('a', { accessedAtMs: T0 + 50 }));
    });

    check('removes an index with all that belongs to it, and leaves the others', ({ write, read }) => {
      write((records) => {
        for (const one of ['a', 'b']) {
          records.create(metaFor(one), COMPLETE);
          records.setCheckpoint(one, CHECKPOINT);
          records.setInputs(one, [{ name: 'policy', fingerprint: 'x' }]);
          records.enqueue(one, [dirtyAt('f', T0, 1)]);
        }
        records.remove('a');
      });
      expect(read((records) => [records.meta('a'), records.safety('a'), records.checkpoint('a'), records.inputs('a'), records.dirtyCount('a')])).toEqual([
        undefined,
        undefined,
        undefined,
        [],
        0,
      ]);
      expect(read((records) => records.dirtyCount('b'))).toBe(1);
      write((records) => records.create(metaFor('a'), ABSENT));
      expect(read((records) => [records.checkpoint('a'), records.inputs('a'), records.dirtyCount('a')])).toEqual([undefined, [], 0]);
    });

    check('begins anew when an index is created again', ({ write, read }) => {
      write((records) => {
        records.create(metaFor('a'), COMPLETE);
        records.setCheckpoint('a', CHECKPOINT);
        records.setInputs('a', [{ name: 'policy', fingerprint: 'x' }]);
        records.enqueue('a', [dirtyAt('f', T0, 1)]);
        records.create(metaFor('a', { createdAtMs: T0 + 9 }), ABSENT);
      });
      expect(
        read((records) => [records.meta('a')?.createdAtMs, records.safety('a'), records.checkpoint('a'), records.inputs('a'), records.dirtyCount('a')]),
      ).toEqual([T0 + 9, ABSENT, undefined, [], 0]);
    });
  });

  describe(`${name}: safety, checkpoint, inputs`, () => {
    check('keeps one safety record per key, with every cause [FR-LSI-SAFE-01]', ({ write, read }) => {
      const disabled: IndexSafety = { ...ABSENT, state: 'DISABLED', reason: 'MEMORY_BUDGET_EXCEEDED', disabledUntilMs: T0 + 5 };
      write((records) => {
        records.create(metaFor('a'), ABSENT);
        records.create(metaFor('b'), COMPLETE);
        records.setSafety('a', DOUBTFUL, T0 + 7);
        records.setSafety('nobody', DOUBTFUL, T0);
      });
      expect(read((records) => [records.safety('a'), records.safety('b'), records.safety('nobody')])).toEqual([DOUBTFUL, COMPLETE, undefined]);
      expect(read((records) => records.meta('a')?.updatedAtMs)).toBe(T0 + 7);
      write((records) => records.setSafety('a', disabled, T0 + 8));
      expect(read((records) => records.safety('a'))).toEqual(disabled);
    });

    check('keeps how far a build came, and why it stopped [FR-LSI-BG-41.2]', ({ write, read }) => {
      const stopped: BuildCheckpoint = {
        ...CHECKPOINT,
        lastPath: null,
        stop: { why: 'DISK', settings: 'abc', eligibleFiles: 12, eligibleBytes: 6_000_000_000 },
      };
      write((records) => {
        records.create(metaFor('a'), ABSENT);
        records.setCheckpoint('a', CHECKPOINT);
        records.setCheckpoint('nobody', CHECKPOINT);
      });
      expect(read((records) => [records.checkpoint('a'), records.checkpoint('nobody')])).toEqual([CHECKPOINT, undefined]);
      write((records) => records.setCheckpoint('a', stopped));
      expect(read((records) => records.checkpoint('a'))).toEqual(stopped);
      write((records) => records.setCheckpoint('a', null));
      expect(read((records) => records.checkpoint('a'))).toBeUndefined();
    });

    check('keeps what decides about eligibility, all of it at once', ({ write, read }) => {
      write((records) => {
        records.create(metaFor('a'), ABSENT);
        records.setInputs('a', [
          { name: '\u{1f600}', fingerprint: '1' },
          { name: '\uff5e', fingerprint: '2' },
          { name: 'policy', fingerprint: '3' },
          { name: 'policy', fingerprint: '4' },
        ]);
        records.setInputs('nobody', [{ name: 'x', fingerprint: 'y' }]);
      });
      expect(read((records) => records.inputs('a').map(({ fingerprint }) => fingerprint))).toEqual(['4', '2', '1']);
      expect(read((records) => records.inputs('nobody'))).toEqual([]);
      write((records) => records.setInputs('a', []));
      expect(read((records) => records.inputs('a'))).toEqual([]);
    });
  });

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

  describe(`${name}: transactions`, () => {
    check('writes all of it or nothing [FR-LSI-IDX-CONC-03]', ({ write, read, store }) => {
      write((records) => {
        records.create(metaFor('a'), COMPLETE);
        records.enqueue('a', [dirtyAt('f', T0, 1)]);
      });
      const crash = new Error('a fault of the caller');
      expect(() =>
        store.write((records) => {
          records.setSafety('a', DOUBTFUL, T0 + 1);
          records.enqueue('a', [dirtyAt('g', T0, 2)]);
          records.clearDirty('a', 1);
          records.create(metaFor('b'), ABSENT);
          records.setInputs('a', [{ name: 'x', fingerprint: 'y' }]);
          records.touch('a', T0 + 99);
          throw crash;
        }),
      ).toThrow(crash);
      expect(read((records) => [records.safety('a'), told(records.dirty('a', 10)), records.meta('b'), records.inputs('a'), records.meta('a')])).toEqual([
        COMPLETE,
        [`f FILE ${T0} 1`],
        undefined,
        [],
        metaFor('a'),
      ]);
    });

    check('sees its own writes, and answers what it was asked', ({ write }) => {
      const seen = write((records) => {
        records.create(metaFor('a'), ABSENT);
        records.setSafety('a', COMPLETE, T0);
        return records.safety('a');
      });
      expect(seen).toEqual(COMPLETE);
    });

    check('closes twice', ({ store }) => {
      store.close();
      store.close();
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
