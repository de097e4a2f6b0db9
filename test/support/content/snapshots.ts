import fc from 'fast-check';
import { openSnapshot, type Snapshot } from '../../../src/content-search/ngram-index/query/snapshot.ts';
import { DOCUMENT_FLAG, type SegmentDocument, segmentNumber } from '../../../src/content-search/ngram-index/segment/format.ts';
import { comparePaths, pathBytes } from '../../../src/content-search/ngram-index/segment/path-order.ts';
import { postingOf } from '../../../src/content-search/ngram-index/segment/postings.ts';
import { writeSegment } from '../../../src/content-search/ngram-index/segment/writer.ts';
import { memoryIndexFiles } from '../../../src/content-search/ngram-index/storage/files-memory.ts';
import type { IndexFiles, SegmentName, SnapshotId } from '../../../src/core/ports/index.ts';
import { catalogOf, hasher, KEY_HASH } from './segments.ts';

/** A document as a test thinks of it: its path as bytes, its n-grams, and whether it is told by them. */
export interface DocumentModel {
  readonly path: string;
  readonly grams: readonly string[];
  readonly kind: 'plain' | 'always' | 'gone';
}

/** The segments of a snapshot, oldest first; paths in any order. */
export type SnapshotModel = readonly (readonly DocumentModel[])[];

export const GRAMS = ['aaa', 'aab', 'abb', 'b\nb', 'zzz', 'Kéy', '\u{1f600}ab', '中文字'] as const;

/** Directories whose keys are equal, names around `/` and `0` in byte order, damaged ones, and one whose name begins another. */
const NAMES = ['a', 'a.b', 'a0', 'b', 'é', 'e\u0301', 'K', '\u212a', 'a b', '~', '\xff', 'Z'].map((name) =>
  name === '\xff' ? name : Buffer.from(name).toString('latin1'),
);

const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

const document: fc.Arbitrary<DocumentModel> = fc.record({
  path,
  grams: fc.uniqueArray(fc.constantFrom(...GRAMS)),
  kind: fc.oneof({ arbitrary: fc.constant('plain' as const), weight: 6 }, fc.constantFrom('always' as const, 'gone' as const)),
});

/** One to four segments with overwrites; many of their paths are the same. */
export const snapshotModel: fc.Arbitrary<SnapshotModel> = fc.array(fc.uniqueArray(document, { selector: (each) => each.path, maxLength: 150, size: 'max' }), {
  minLength: 1,
  maxLength: 4,
  size: 'max',
});

/** SearchCounter places: the root, directories and files, there or not. */
export const askedPath = fc.oneof(fc.constant(''), path);

/** What counts after all segments, by path. */
export function liveOf(model: SnapshotModel): ReadonlyMap<string, DocumentModel> {
  const live = new Map<string, DocumentModel>();
  for (const each of model.flat()) live.set(each.path, each);
  for (const [key, { kind }] of live) if (kind === 'gone') live.delete(key);
  return live;
}

export const inKeyOrder = (paths: Iterable<string>): string[] => [...paths].sort((a, b) => comparePaths(pathBytes(a), pathBytes(b)));

export function writeModel(files: IndexFiles, name: SegmentName, documents: readonly DocumentModel[]): void {
  const sorted = [...documents].sort((a, b) => comparePaths(pathBytes(a.path), pathBytes(b.path)));
  const postings = new Map<string, number[]>();
  for (const [id, { grams }] of sorted.entries()) for (const gram of grams) postings.set(gram, [...(postings.get(gram) ?? []), id]);
  const sink = files.create(name);
  const contents = {
    generation: segmentNumber(name),
    keyHash: KEY_HASH,
    catalog: catalogOf(segmentNumber(name), sorted.map(storedOf)),
    postings: [...postings].map(([gram, ids]) => postingOf(Buffer.from(gram), ids)).sort((a, b) => Buffer.compare(a.trigram, b.trigram)),
  };
  writeSegment(sink, contents, hasher);
  sink.finish();
}

function storedOf({ path: name, kind, grams }: DocumentModel): SegmentDocument {
  const flags = kind === 'plain' ? 0 : DOCUMENT_FLAG[kind];
  return { path: pathBytes(name), size: grams.length, mtimeNs: -1n, ctimeNs: 5n, ino: BigInt(name.length), dev: 2n ** 60n, flags };
}

/** A model on files in memory. */
export function planted(model: SnapshotModel): { readonly files: IndexFiles; readonly id: SnapshotId } {
  const files = memoryIndexFiles();
  for (const [delta, documents] of model.entries()) writeModel(files, { generation: 1, delta }, documents);
  return { files, id: { generation: 1, deltas: [...model.keys()].slice(1) } };
}

export function openedOf(files: IndexFiles, id: SnapshotId, previous?: Snapshot): Snapshot {
  const opened = openSnapshot(files, id, { keyHash: KEY_HASH }, hasher, previous);
  if (!opened.ok) throw new Error(`${opened.why}: ${opened.message}`);
  return opened.snapshot;
}
