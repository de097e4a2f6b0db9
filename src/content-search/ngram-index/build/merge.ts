import type { SegmentName, SnapshotId } from '../../../core/ports/index.ts';
import { hasBit } from '../query/bitmap.ts';
import { liveDocuments } from '../query/live.ts';
import { isLive, type Snapshot, type SnapshotSegment } from '../query/snapshot.ts';
import { CatalogWriter } from '../segment/catalog.ts';
import type { Posting } from '../segment/dictionary-reader.ts';
import { type ByteSink, isSpecial, type SegmentDocument, segmentNumber } from '../segment/format.ts';
import { union } from '../segment/id-lists.ts';
import { postingOf, type SegmentPosting } from '../segment/postings.ts';
import { writeSegment } from '../segment/writer.ts';
import type { Hasher } from '../tokenize/hash.ts';

export interface MergeTarget {
  readonly name: SegmentName;
  readonly keyHash: Buffer;
  /** The file to write to; the caller finishes it. */
  readonly sink: ByteSink;
}

export type Merged = { readonly outcome: 'done'; readonly documents: number; readonly bytes: number } | { readonly outcome: 'stopped' };

/**
 * Merges segments into one: any deltas, or the base with all of them. Documents that are hidden by any segment of the
 * snapshot are left out, and with the base those that are gone. What is held in memory: a number for each document, the catalog, and one list.
 *
 * @param which places in the snapshot, ascending
 * @param stop asked now and then; may sleep
 * @throws CorruptSegment, and what the sink throws
 */
export function mergeSegments(snapshot: Snapshot, which: readonly number[], { name, keyHash, sink }: MergeTarget, hasher: Hasher, stop: () => boolean): Merged {
  if (which.includes(0) && which.length !== snapshot.segments.length) throw new RangeError('the base is merged with all deltas or with none');
  const counts = which.includes(0) ? isLive : isNotHidden;
  const watched = asking(stop);
  const documents = (): Iterable<SegmentDocument> =>
    watched(function* () {
      for (const { document } of liveDocuments(snapshot, which, counts)) yield document;
    });
  try {
    const generation = segmentNumber(name);
    const numbers = renumbered(snapshot, which, counts);
    const catalog = new CatalogWriter(generation, hasher);
    for (const document of documents()) catalog.add(document);
    const postings = watched(() => mergedPostings(which.map((place) => ({ segment: snapshot.segments[place], numbers: numbers.get(place) }))));
    const { bytes } = writeSegment(sink, { generation, keyHash, catalog, postings }, hasher);
    return { outcome: 'done', documents: catalog.documents, bytes };
  } catch (error) {
    if (error instanceof Stopped) return { outcome: 'stopped' };
    throw error;
  }
}

/** The snapshot with the merged segment in place of those that it was made of. */
export function snapshotAfterMerge({ generation, deltas }: SnapshotId, which: readonly number[], name: SegmentName): SnapshotId {
  if (which.includes(0)) return { generation: name.generation, deltas: [] };
  const last = Math.max(...which);
  // The merged segment takes the place of its last member, after all that its members hide.
  return { generation, deltas: deltas.flatMap((delta, at) => (at + 1 === last ? [name.delta] : which.includes(at + 1) ? [] : [delta])) };
}

const isNotHidden = ({ hidden }: SnapshotSegment, id: number): boolean => !hasBit(hidden, id);

/** The numbers that documents get, by place of their segment; `DROPPED` for those that get none. */
function renumbered(snapshot: Snapshot, which: readonly number[], counts: (segment: SnapshotSegment, id: number) => boolean): ReadonlyMap<number, Uint32Array> {
  const numbers = new Map(which.map((place) => [place, new Uint32Array(snapshot.segments[place]?.reader.documentCount ?? 0).fill(DROPPED)]));
  let documentCount = 0;
  for (const { segment, id } of liveDocuments(snapshot, which, counts)) {
    const list = numbers.get(segment);
    if (list !== undefined) list[id] = documentCount;
    documentCount += 1;
  }
  return numbers;
}
const DROPPED = 0xffff_ffff;

interface Member {
  readonly segment: SnapshotSegment | undefined;
  readonly numbers: Uint32Array | undefined;
}

/** The postings of all members in byte order: the least of the heads of their dictionaries comes next. */
function* mergedPostings(members: readonly Member[]): Generator<SegmentPosting> {
  const heads = members.flatMap(({ segment, numbers }) => {
    if (segment === undefined || numbers === undefined) return [];
    const entries = segment.reader.postings()[Symbol.iterator]();
    return [{ entries, numbers, entry: nextOf(entries) }];
  });
  for (;;) {
    let least: Buffer | undefined;
    for (const { entry } of heads) if (entry !== undefined && (least === undefined || Buffer.compare(entry.trigram, least) < 0)) least = entry.trigram;
    if (least === undefined) return;
    const lists: Uint32Array[] = [];
    for (const head of heads) {
      if (head.entry?.trigram.equals(least) !== true) continue;
      lists.push(translated(head.entry.posting.documents(), head.numbers));
      head.entry = nextOf(head.entries);
    }
    const documents = union(lists);
    if (documents.length > 0) yield postingOf(least, documents);
  }
}

interface Entry {
  readonly trigram: Buffer;
  readonly posting: Posting;
}

/** The next n-gram of a dictionary. Special lists come last, and are written again from the flags. */
function nextOf(entries: Iterator<Entry>): Entry | undefined {
  const step = entries.next();
  return step.done === true || isSpecial(step.value.trigram) ? undefined : step.value;
}

/** A list under the new numbers. Documents keep their order, so it stays ascending. */
function translated(ids: Uint32Array, numbers: Uint32Array): Uint32Array {
  const list = new Uint32Array(ids.length);
  let count = 0;
  for (const id of ids) {
    const number = numbers[id] ?? DROPPED;
    if (number === DROPPED) continue;
    list[count] = number;
    count += 1;
  }
  return list.subarray(0, count);
}

class Stopped extends Error {}

/** Elements between two calls of `stop`. */
const AT_ONCE = 512;

/** Passes an iterable on, and asks `stop` on the way. */
function asking(stop: () => boolean): <T>(make: () => Iterable<T>) => Generator<T> {
  let count = 0;
  return function* (make) {
    for (const each of make()) {
      count += 1;
      if (count % AT_ONCE === 0 && stop()) throw new Stopped();
      yield each;
    }
  };
}
