import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidatesOf } from '../../../../../src/content-search/ngram-index/query/candidates.ts';
import { checkSnapshot } from '../../../../../src/content-search/ngram-index/query/check.ts';
import { isInCatalog } from '../../../../../src/content-search/ngram-index/query/scope.ts';
import { openSnapshot } from '../../../../../src/content-search/ngram-index/query/snapshot.ts';
import type { IndexFiles, SegmentName, SnapshotId } from '../../../../../src/core/ports/index.ts';
import { hasher, KEY_HASH } from '../../../../support/content/segments.ts';
import { type DocumentModel, GRAMS, planted } from '../../../../support/content/snapshots.ts';
import { cases } from '../../../../support/oracle-runs.ts';

const ROOT = { path: '', kind: 'directory' } as const;

/** Enough documents for several blocks of a catalog, lists of both forms, and deltas that hide. */
const MODEL: readonly (readonly DocumentModel[])[] = [
  Array.from({ length: 300 }, (_, i) => ({
    path: `d${i % 7}/f${i}`,
    grams: GRAMS.filter((_, g) => (i * (g + 3)) % (g + 2) === 0),
    kind: i % 50 === 0 ? ('always' as const) : ('plain' as const),
  })),
  Array.from({ length: 40 }, (_, i) => ({ path: `d${i % 7}/f${i}`, grams: ['zzz'], kind: i % 3 === 0 ? ('gone' as const) : ('plain' as const) })),
  [{ path: 'd1/f1', grams: ['aaa'], kind: 'plain' }],
];

/** What a search learns; undefined when it was told that something is wrong. */
function answers(files: IndexFiles, id: SnapshotId): unknown {
  const opened = openSnapshot(files, id, { keyHash: KEY_HASH }, hasher);
  if (!opened.ok) return { why: opened.why };
  const all = [
    ...[...GRAMS, 'qqq'].map((gram) => candidatesOf(opened.snapshot, { groups: [[gram]], most: 1 }, ROOT)),
    candidatesOf(opened.snapshot, { groups: [['aaa'], ['zzz']], most: 6 }, { path: 'd1', kind: 'directory' }),
    isInCatalog(opened.snapshot, { path: 'd3/f3', kind: 'file' }),
  ];
  opened.snapshot.close();
  return all;
}

/** The files with another content in place of one segment. */
function withBytes(files: IndexFiles, name: SegmentName, bytes: Buffer): IndexFiles {
  return {
    ...files,
    open(asked) {
      if (asked.delta !== name.delta) return files.open(asked);
      return { size: bytes.length, identity: 'broken', read: (offset, length) => Buffer.from(bytes.subarray(offset, offset + length)), close: () => undefined };
    },
  };
}

function bytesOf(files: IndexFiles, name: SegmentName): Buffer {
  const file = files.open(name);
  if ('refused' in file) throw new Error(file.refused);
  return file.read(0, file.size);
}

/** Each single answer is the right one, or says CORRUPT. */
function isRightOrCorrupt(found: unknown, right: unknown): boolean {
  if (!Array.isArray(found) || !Array.isArray(right)) return JSON.stringify(found) === '{"why":"CORRUPT"}';
  return found.every((one: { ok: boolean; why?: string }, at) => (one.ok ? JSON.stringify(one) === JSON.stringify(right[at]) : one.why === 'CORRUPT'));
}

describe('a snapshot with damage', () => {
  const { files, id } = planted(MODEL);
  const right = answers(files, id);
  const wholes = MODEL.map((_, delta) => bytesOf(files, { generation: 1, delta }));

  it('gives the same answer or says that it is corrupt, whichever bit is another', { tags: ['NFR-LSI-COR-02'] }, () => {
    let seen = 0;
    for (const [delta, whole] of wholes.entries()) {
      // A prime: all places within a byte.
      for (let bit = delta; bit < whole.length * 8; bit += 41) {
        const broken = Buffer.from(whole);
        broken[bit >> 3] = (broken[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const found = answers(withBytes(files, { generation: 1, delta }, broken), id);
        if (!isRightOrCorrupt(found, right)) throw new Error(`segment ${delta}, bit ${bit}: ${JSON.stringify(found)}`);
        seen += 1;
      }
    }
    expect(seen).toBeGreaterThan(1_000);
  });

  it('gives the same answer or says so, wherever it is cut, filled with zeros or overwritten', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 }), fc.nat(), fc.nat(), fc.constantFrom('cut', 'zeros', 'ones', 'copy'), (delta, a, b, how) => {
        const whole = wholes[delta] ?? Buffer.alloc(0);
        const [from, to] = [a % whole.length, b % whole.length].sort((x, y) => x - y) as [number, number];
        const broken = Buffer.from(whole);
        if (how === 'zeros') broken.fill(0, from, to);
        if (how === 'ones') broken.fill(0xff, from, to);
        if (how === 'copy') whole.copy(broken, from, 0, to - from);
        const found = answers(withBytes(files, { generation: 1, delta }, how === 'cut' ? whole.subarray(0, from) : broken), id);
        expect(isRightOrCorrupt(found, right)).toBe(true);
      }),
      { numRuns: cases(200) },
    );
  });

  it('is found out by a check, whichever bit is another', () => {
    for (const [delta, whole] of wholes.entries()) {
      for (let bit = delta; bit < whole.length * 8; bit += 97) {
        const broken = Buffer.from(whole);
        broken[bit >> 3] = (broken[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const opened = openSnapshot(withBytes(files, { generation: 1, delta }, broken), id, { keyHash: KEY_HASH }, hasher);
        if (opened.ok)
          expect(
            checkSnapshot(opened.snapshot, () => false),
            `bit ${bit}`,
          ).not.toEqual([]);
      }
    }
  });

  it('is what a check of a whole one does not find, and a check can be ended', () => {
    const opened = openSnapshot(files, id, { keyHash: KEY_HASH }, hasher);
    if (!opened.ok) throw new Error(opened.message);
    expect(checkSnapshot(opened.snapshot, () => false)).toEqual([]);
    expect(checkSnapshot(opened.snapshot, () => true)).toBeUndefined();
  });
});
