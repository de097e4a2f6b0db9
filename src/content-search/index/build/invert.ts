import type { Hasher } from '../hash.ts';
import type { GramSet } from '../trigrams.ts';
import { type GramPairs, PAIR_BYTES } from './gram-pairs.ts';
import { decodeRun, encodeRun, type RunEntry, type RunStore } from './runs.ts';

export interface InverterOptions {
  /** Are emptied at once, and used until the last document. */
  readonly pairs: GramPairs;
  readonly runs: RunStore;
  readonly hasher: Hasher;
  /** Bytes of pairs in memory; one document can take it above that. */
  readonly maxBytes?: number;
}

/** Turns the n-grams of documents into the documents of n-grams. Holds a bounded part of it in memory, the rest in runs. */
export interface Inverter {
  /** Documents come in the order of their numbers. */
  add(document: number, grams: GramSet): void;
  /** Every n-gram with its documents, in byte order; once, after the last document. */
  postings(documentCount: number): Generator<{ readonly trigram: Buffer; readonly documents: ArrayLike<number> }>;
}

/** Four million pairs of n-gram and document (search-rules 24: a million files in less than 400 MB). */
export const MAX_RUN_BYTES = 64 * 2 ** 20;

export function createInverter({ pairs, runs, hasher, maxBytes = MAX_RUN_BYTES }: InverterOptions): Inverter {
  /** Bytes of each run that was written. */
  const written: number[] = [];
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
    runs.write(run, counted(encodeRun(entries(pairs), { run, hasher })));
    written.push(bytes);
    // Runs hold the n-grams themselves: so those of all files of a tree need not be in memory together.
    pairs.clear();
  }

  return {
    add(document, { k, narrow, wide }) {
      const more = narrow.length + wide.length / k;
      // Before, not after: the memory of the pairs doubles when one does not fit, and is kept.
      if (pairs.size > 0 && (pairs.size + more) * PAIR_BYTES > maxBytes) flush();
      pairs.add({ k, narrow, wide }, document);
      if (pairs.size * PAIR_BYTES >= maxBytes) flush();
    },
    *postings(documentCount) {
      if (written.length === 0) {
        for (const { gram, documents } of entries(pairs)) yield { trigram: gram, documents };
        return;
      }
      if (pairs.size > 0) flush();
      const sources = written.map((bytes, run) => decodeRun(runs.read(run), bytes, documentCount, { run, hasher }));
      yield* merged(sources);
    },
  };
}

function* entries(pairs: GramPairs): Generator<RunEntry> {
  for (const { gram, start, end } of pairs.groups()) yield { gram, documents: pairs.documents.subarray(start, end) };
}

interface Head {
  readonly source: Generator<RunEntry>;
  entry: RunEntry | undefined;
  /** The first bytes of its n-gram as a number: nearly always they decide. */
  rank: number;
}

/** Lists of the same n-gram follow each other in the order of the runs, which is the order of documents. */
function* merged(sources: readonly Generator<RunEntry>[]): Generator<{ readonly trigram: Buffer; readonly documents: ArrayLike<number> }> {
  const heads = sources.map((source): Head => ({ source, entry: undefined, rank: 0 }));
  for (const head of heads) advance(head);
  for (;;) {
    let least: Head | undefined;
    for (const head of heads) {
      if (head.entry === undefined || (least !== undefined && head.rank > least.rank)) continue;
      if (least === undefined || head.rank < least.rank || compare(head, least) < 0) least = head;
    }
    if (least?.entry === undefined) return;
    const { rank } = least;
    const { gram } = least.entry;
    const lists: Uint32Array[] = [];
    for (const head of heads) {
      if (head.rank !== rank || head.entry === undefined || !equal(head.entry.gram, gram)) continue;
      lists.push(head.entry.documents);
      advance(head);
    }
    yield { trigram: gram, documents: joined(lists) };
  }
}

/** Of n-grams of one rank. */
function equal(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && (a.length <= RANKED_BYTES || a.equals(b));
}

function compare(a: Head, b: Head): number {
  return a.rank - b.rank || (a.entry === undefined || b.entry === undefined ? 0 : Buffer.compare(a.entry.gram, b.entry.gram));
}

/** Bytes that fit into a number exactly. */
const RANKED_BYTES = 6;

function advance(head: Head): void {
  const step = head.source.next();
  head.entry = step.done === true ? undefined : step.value;
  let rank = 0;
  const gram = head.entry?.gram;
  for (let at = 0; at < RANKED_BYTES; at += 1) rank = rank * 256 + (gram?.[at] ?? 0);
  head.rank = head.entry === undefined ? Number.POSITIVE_INFINITY : rank;
}

function joined(lists: readonly Uint32Array[]): Uint32Array {
  const [only] = lists;
  if (only !== undefined && lists.length === 1) return only;
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}
