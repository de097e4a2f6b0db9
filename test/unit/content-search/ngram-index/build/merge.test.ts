import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeSegments, snapshotAfterMerge } from '../../../../../src/content-search/ngram-index/build/merge.ts';
import { candidatesOf } from '../../../../../src/content-search/ngram-index/query/candidates.ts';
import { checkSnapshot } from '../../../../../src/content-search/ngram-index/query/check.ts';
import { liveDocuments } from '../../../../../src/content-search/ngram-index/query/live.ts';
import type { Snapshot } from '../../../../../src/content-search/ngram-index/query/snapshot.ts';
import type { IndexFiles, SegmentName } from '../../../../../src/core/ports/index.ts';
import { hasher, KEY_HASH } from '../../../../support/content/segments.ts';
import { GRAMS, openedOf, planted, type SnapshotModel, snapshotModel } from '../../../../support/content/snapshots.ts';
import { cases } from '../../../../support/oracle-runs.ts';

const ROOT = { path: '', kind: 'directory' } as const;

/** Everything that searches can find out. */
function answers(snapshot: Snapshot): unknown {
  return {
    documents: [...liveDocuments(snapshot)].map(({ document }) => document),
    candidates: GRAMS.map((gram) => candidatesOf(snapshot, { groups: [[gram]], most: 1 }, ROOT)),
    variants: candidatesOf(snapshot, { groups: [['aaa', 'zzz']], most: 9 }, ROOT),
  };
}

function merged(files: IndexFiles, snapshot: Snapshot, which: readonly number[], name: SegmentName): Snapshot {
  const sink = files.create(name);
  const done = mergeSegments(snapshot, which, { name, keyHash: KEY_HASH, sink }, hasher, () => false);
  sink.finish();
  expect(done).toMatchObject({
    outcome: 'done',
    bytes:
      files.sizeOf({ generation: name.generation, deltas: [name.delta] }) - (name.delta === 0 ? 0 : files.sizeOf({ generation: name.generation, deltas: [] })),
  });
  return openedOf(files, snapshotAfterMerge(snapshot.id, which, name), snapshot);
}

describe('a merge', () => {
  it('of any deltas gives the same answers', () => {
    fc.assert(
      fc.property(snapshotModel, fc.infiniteStream(fc.boolean()), (model, chosen) => {
        const { files, id } = planted(model);
        const snapshot = openedOf(files, id);
        const which = [...model.keys()].slice(1).filter(() => chosen.next().value);
        if (which.length === 0) return;
        const after = merged(files, snapshot, which, { generation: 1, delta: 77 });
        expect(after.segments).toHaveLength(model.length - which.length + 1);
        expect(answers(after)).toEqual(answers(snapshot));
        expect(checkSnapshot(after, () => false)).toEqual([]);
      }),
      { numRuns: cases(10) },
    );
  });

  it('of everything gives the same answers, and leaves nothing dead', () => {
    fc.assert(
      fc.property(snapshotModel, (model: SnapshotModel) => {
        const { files, id } = planted(model);
        const snapshot = openedOf(files, id);
        const after = merged(files, snapshot, [...model.keys()], { generation: 2, delta: 0 });
        expect(after.id).toEqual({ generation: 2, deltas: [] });
        expect(after).toMatchObject({ live: snapshot.live, dead: 0 });
        expect(answers(after)).toEqual(answers(snapshot));
        expect(checkSnapshot(after, () => false)).toEqual([]);
      }),
      { numRuns: cases(10) },
    );
  });

  it('keeps what hides documents of segments that take no part', () => {
    const plain = { path: 'a', grams: ['aaa'], kind: 'plain' as const };
    const { files, id } = planted([[plain], [plain, { ...plain, path: 'b' }], [{ ...plain, kind: 'gone' }]]);
    const after = merged(files, openedOf(files, id), [1, 2], { generation: 1, delta: 5 });
    expect(after.id.deltas).toEqual([5]);
    expect([...liveDocuments(after)].map(({ document }) => document.path.toString())).toEqual(['b']);
    expect(after.dead).toBe(2);
  });

  it('refuses the base with some of the deltas, which could be named nowhere', () => {
    const { files, id } = planted([[], [], []]);
    const target = { name: { generation: 2, delta: 0 }, keyHash: KEY_HASH, sink: files.create({ generation: 2, delta: 0 }) };
    expect(() => mergeSegments(openedOf(files, id), [0, 1], target, hasher, () => false)).toThrow(RangeError);
  });

  it('ends when it is told to', () => {
    const many = Array.from({ length: 600 }, (_, i) => ({ path: `f${i}`, grams: ['aaa'], kind: 'plain' as const }));
    const { files, id } = planted([many]);
    const target = { name: { generation: 2, delta: 0 }, keyHash: KEY_HASH, sink: files.create({ generation: 2, delta: 0 }) };
    expect(mergeSegments(openedOf(files, id), [0], target, hasher, () => true)).toEqual({ outcome: 'stopped' });
  });
});
