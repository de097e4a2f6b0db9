import { ByteReader, ByteWriter } from '../segment/bytes.ts';
import type { SegmentPosting } from '../segment/postings.ts';
import type { Hasher } from '../tokenize/hash.ts';
import type { GramSet } from '../tokenize/trigrams.ts';
import { type GramPairs, MAX_DOCUMENTS } from './gram-pairs.ts';
import { decodeRun, encodeRun, type RunStore } from './runs.ts';

export interface InverterOptions {
  /** The pairs to use; they are emptied first, and used until the last document. */
  readonly pairs: GramPairs;
  readonly runs: RunStore;
  readonly hasher: Hasher;
  /** Bytes of pairs in memory; one document can exceed it. */
  readonly maxBytes?: number;
}

/** Turns the n-grams of documents into the documents of n-grams. A bounded part is in memory, the rest in runs. */
export interface Inverter {
  /** Adds a document; they come in the order of their numbers. */
  add(document: number, grams: GramSet): void;
  /** Every n-gram in byte order, each valid until the next. Called once, after the last document. */
  postings(): Generator<SegmentPosting>;
}

/** Twelve million pairs of n-gram and document (search-rules 24: a million files in less than 400 MB). */
export const MAX_RUN_BYTES = 48 * 2 ** 20;

export function createInverter({ pairs, runs, hasher, maxBytes = MAX_RUN_BYTES }: InverterOptions): Inverter {
  /** Bytes of each run that was written. */
  const written: number[] = [];
  let first = 0;
  pairs.clear();

  function flush(): void {
    const run = written.length;
    let bytes = 0;
    const counted = function* (parts: Iterable<Uint8Array>): Generator<Uint8Array> {
      for (const part of parts) {
        bytes += part.length;
        yield part;
      }
    };
    // A run holds the n-grams themselves, so no table of all n-grams of a tree has to stay in memory.
    runs.write(run, counted(encodeRun(pairs.postings(), { run, hasher })));
    written.push(bytes);
  }

  return {
    add(document, grams) {
      if (pairs.bytes > 0 && document - first >= MAX_DOCUMENTS) flush();
      if (pairs.bytes === 0) first = document;
      pairs.add(grams, document);
      if (pairs.bytes >= maxBytes) flush();
    },
    *postings() {
      if (written.length === 0) {
        yield* pairs.postings();
        return;
      }
      if (pairs.bytes > 0) flush();
      pairs.release();
      yield* merged(written.map((bytes, run) => decodeRun(runs.read(run), bytes, { run, hasher })));
    },
  };
}

interface Head {
  readonly source: Generator<SegmentPosting>;
  posting: SegmentPosting | undefined;
  /** The first bytes of its n-gram as a number: nearly always these decide the order. */
  rank: number;
}

/** Lists of the same n-gram follow each other in the order of the runs, which is the order of documents. */
function* merged(sources: readonly Generator<SegmentPosting>[]): Generator<SegmentPosting> {
  const heads = sources.map((source): Head => ({ source, posting: undefined, rank: 0 }));
  for (const head of heads) advance(head);
  const list = new ByteWriter(1 << 16);
  for (;;) {
    let least: Head | undefined;
    for (const head of heads) {
      if (head.posting === undefined || (least !== undefined && head.rank > least.rank)) continue;
      if (least === undefined || head.rank < least.rank || compare(head, least) < 0) least = head;
    }
    if (least?.posting === undefined) return;
    const { rank } = least;
    const { trigram } = least.posting;
    let [count, last] = [0, -1];
    list.clear();
    for (const head of heads) {
      const its = head.posting;
      if (head.rank !== rank || its === undefined || !equal(its.trigram, trigram)) continue;
      append(list, its.differences, last);
      [count, last] = [count + its.count, its.last];
      advance(head);
    }
    yield { trigram, count, last, differences: list.view() };
  }
}

/** Appends differences to a list that ends with the document `last`: only the first one changes. */
function append(list: ByteWriter, differences: Buffer, last: number): void {
  const reader = new ByteReader(differences);
  list.varint(reader.varint() - last - 1);
  list.bytes(differences.subarray(reader.at));
}

/** Whether two n-grams of one rank are the same. */
function equal(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && (a.length <= RANKED_BYTES || a.equals(b));
}

function compare(a: Head, b: Head): number {
  return a.rank - b.rank || (a.posting === undefined || b.posting === undefined ? 0 : Buffer.compare(a.posting.trigram, b.posting.trigram));
}

/** The number of bytes that fit into a number exactly. */
const RANKED_BYTES = 6;

function advance(head: Head): void {
  const step = head.source.next();
  head.posting = step.done === true ? undefined : step.value;
  let rank = 0;
  const gram = head.posting?.trigram;
  for (let at = 0; at < RANKED_BYTES; at += 1) rank = rank * 256 + (gram?.[at] ?? 0);
  head.rank = head.posting === undefined ? Number.POSITIVE_INFINITY : rank;
}
