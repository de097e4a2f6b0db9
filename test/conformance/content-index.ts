import { describe, expect, it } from 'vitest';
import type { BuildCheckpoint, ContentIndexStore, IndexSafety } from '../../src/core/ports/index.ts';
import { type Check, dirtyQueueConformance, told } from './content-index-queue.ts';
import { ABSENT, COMPLETE, dirtyAt, metaFor, T0 } from './content-index-samples.ts';

/** Records for one test. */
export interface RecordsUnderTest extends AsyncDisposable {
  readonly store: ContentIndexStore;
}

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

/** What every ContentIndexStore does (docs/index-safety.md, local-search-index.md App. E). */
export function contentIndexConformance(name: string, make: () => Promise<RecordsUnderTest>): void {
  const check: Check = (title, body) =>
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
    check('gives back an index as it was created, each component of its key by itself', ({ write, read }) => {
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
    check('keeps one safety record per key, with every cause', ({ write, read }) => {
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

    check('keeps how far a build came, and why it stopped', ({ write, read }) => {
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

  dirtyQueueConformance(name, check);

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
