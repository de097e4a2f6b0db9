import type { BytePath, OverlayEntry } from '../../../core/ports/index.ts';
import { orderKey } from '../../search/order-key.ts';
import { DOCUMENT_FLAG, type SegmentDocument } from '../segment/format.ts';
import { comparePaths } from '../segment/path-order.ts';
import type { SegmentReader } from '../segment/reader.ts';
import { paired } from './paired.ts';

/** Paths that have to be read again. */
export interface Region {
  has(path: Buffer): boolean;
  /** The documents that an index has of the region, in key order. @throws CorruptSegment */
  documents(segments: readonly SegmentReader[]): Iterable<SegmentDocument>;
}

/** The region of some entries of the overlay. */
export function regionOf(entries: readonly Pick<OverlayEntry, 'path' | 'kind'>[]): Region {
  const files = pathsOf(entries, 'FILE');
  const subtrees = pathsOf(entries, 'SUBTREE');
  const has = (path: Buffer): boolean => {
    const text = path.toString('latin1');
    return files.has(text) || isBeneathAny(text, subtrees);
  };
  const ranges = rangesOf(entries);
  return {
    has,
    *documents(segments) {
      for (const range of ranges) {
        for (const document of living(segments.map((segment) => inRange(segment, range)))) if (has(document.path)) yield document;
      }
    },
  };
}

function pathsOf(entries: readonly Pick<OverlayEntry, 'path' | 'kind'>[], wanted: OverlayEntry['kind']): ReadonlySet<BytePath> {
  return new Set(entries.filter(({ kind }) => kind === wanted).map(({ path }) => path));
}

function isBeneathAny(path: BytePath, subtrees: ReadonlySet<BytePath>): boolean {
  if (subtrees.size === 0) return false;
  if (subtrees.has('')) return true;
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) if (subtrees.has(path.slice(0, slash))) return true;
  return false;
}

/** A range of documents that follow each other: their key is this one, or begins with it. */
interface Range {
  readonly key: Buffer;
  readonly isPrefix: boolean;
  /** No document of the range comes before it. */
  readonly first: Buffer;
}

/** Disjoint ranges, in key order. Two directories whose names only differ in Unicode form have the same key, so they are one range. */
function rangesOf(entries: readonly Pick<OverlayEntry, 'path' | 'kind'>[]): readonly Range[] {
  const wanted = entries.map(({ path, kind }): Range => {
    const isPrefix = kind === 'SUBTREE';
    const first = Buffer.from(isPrefix && path !== '' ? `${path}/` : path, 'latin1');
    return { key: orderKey(first), isPrefix, first };
  });
  wanted.sort((a, b) => Buffer.compare(a.key, b.key) || Buffer.compare(a.first, b.first));
  const ranges: Range[] = [];
  for (const range of wanted) {
    const before = ranges.at(-1);
    const isKnown = before !== undefined && (before.isPrefix ? startsWith(range.key, before.key) : before.key.equals(range.key));
    if (!isKnown) ranges.push(range);
  }
  return ranges;
}

function* inRange(segment: SegmentReader, { key, isPrefix, first }: Range): Generator<SegmentDocument> {
  for (const document of segment.documents(segment.firstNotBefore(first))) {
    const its = orderKey(document.path);
    if (!(isPrefix ? startsWith(its, key) : its.equals(key))) return;
    yield document;
  }
}

const startsWith = (bytes: Buffer, prefix: Buffer): boolean => bytes.length >= prefix.length && bytes.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;

/** @param segments the documents of each, oldest first */
function* living(segments: readonly Iterable<SegmentDocument>[]): Generator<SegmentDocument> {
  const newest = segments.reduceRight((newer, older) => overlaid(older, newer), NOTHING);
  for (const document of newest) if ((document.flags & DOCUMENT_FLAG.gone) === 0) yield document;
}
const NOTHING: Iterable<SegmentDocument> = [];

/** Two sequences in key order as one; of two documents of one path the newer one. */
function* overlaid(older: Iterable<SegmentDocument>, newer: Iterable<SegmentDocument>): Generator<SegmentDocument> {
  for (const [below, above] of paired(older, newer, (a, b) => comparePaths(a.path, b.path))) yield above ?? below;
}
