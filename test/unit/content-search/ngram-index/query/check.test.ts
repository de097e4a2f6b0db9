import { describe, expect, it } from 'vitest';
import { checkSnapshot } from '../../../../../src/content-search/ngram-index/query/check.ts';
import type { Snapshot } from '../../../../../src/content-search/ngram-index/query/snapshot.ts';
import { segmentNumber } from '../../../../../src/content-search/ngram-index/segment/format.ts';
import { postingOf } from '../../../../../src/content-search/ngram-index/segment/postings.ts';
import { writeSegment } from '../../../../../src/content-search/ngram-index/segment/writer.ts';
import { memoryIndexFiles } from '../../../../../src/content-search/ngram-index/storage/files-memory.ts';
import { catalogOf, hasher, KEY_HASH } from '../../../../support/content/segments.ts';
import { openedOf, planted } from '../../../../support/content/snapshots.ts';

interface Written {
  readonly paths: readonly string[];
  readonly flags?: number;
  readonly postings?: readonly (readonly [trigram: Buffer, documents: readonly number[]])[];
}

/** A segment with checksums that are right, and contents that are not. */
function snapshotWith({ paths, flags = 0, postings = [] }: Written): Snapshot {
  const files = memoryIndexFiles();
  const name = { generation: 1, delta: 0 };
  const sink = files.create(name);
  const contents = {
    generation: segmentNumber(name),
    keyHash: KEY_HASH,
    catalog: catalogOf(
      segmentNumber(name),
      paths.map((path) => ({ path: Buffer.from(path), size: 1, mtimeNs: 0n, ctimeNs: 0n, ino: 1n, dev: 1n, flags })),
    ),
    postings: postings.map(([trigram, documents]) => postingOf(trigram, documents)),
  };
  writeSegment(sink, contents, hasher);
  sink.finish();
  return openedOf(files, { generation: 1, deltas: [] });
}

const findingsOf = (snapshot: Snapshot): readonly string[] | undefined => checkSnapshot(snapshot, () => false);

describe('the check of a snapshot', () => {
  it.each([
    ['documents that are not in key order', { paths: ['b', 'a'] }, 'document 1 does not come behind the one before'],
    ['the same document twice', { paths: ['a', 'a'] }, 'document 1 does not come behind the one before'],
    ['a path that leads out of the root', { paths: ['a/../b'] }, 'document 0 has no path'],
    ['an empty path', { paths: [''] }, 'document 0 has no path'],
    ['an absolute path', { paths: ['/etc/passwd'] }, 'document 0 has no path'],
    ['flags of another version', { paths: ['a'], flags: 64 }, 'document 0 has flags that nobody knows'],
    ['n-grams that are no text', { paths: ['a'], postings: [[Buffer.from([0xc0, 0x61]), [0]]] }, 'n-gram 0 is no text'],
    ['n-grams that nobody has', { paths: ['a'], postings: [[Buffer.from('abc'), []]] }, 'n-gram 0 has no documents'],
  ] satisfies readonly (readonly [string, Written, string])[])('finds %s', (_, written, finding) => {
    expect(findingsOf(snapshotWith(written))).toEqual([`base of generation 1: ${finding}`]);
  });

  it('finds documents that are hidden by none, and such that should be', () => {
    const plain = { path: 'a', grams: ['aaa'], kind: 'plain' as const };
    const { files, id } = planted([
      [plain, { ...plain, path: 'b' }],
      [plain, { ...plain, path: 'c', kind: 'gone' }],
    ]);
    const snapshot = openedOf(files, id);
    expect(findingsOf(snapshot)).toEqual([]);
    const swapped = {
      ...snapshot,
      segments: snapshot.segments.map((segment) => ({ ...segment, hidden: Uint8Array.of(segment.name.delta === 0 ? 2 : 0), dead: new Uint8Array(1) })),
    };
    expect(findingsOf(swapped)).toEqual([
      'delta 1 of generation 1: document 1 is not known to be dead or alive',
      'base of generation 1: document 0 is not hidden by the one of a later segment',
      'base of generation 1: document 0 is not known to be dead or alive',
      'base of generation 1: document 1 is hidden by none of a later segment',
    ]);
  });

  it('tells some of many findings', () => {
    const paths = Array.from({ length: 300 }, () => '../x');
    expect(findingsOf(snapshotWith({ paths }))).toHaveLength(100);
  });
});
