import type { Hasher } from '../hash.ts';
import { ByteReader } from '../segment/bytes.ts';
import { readDifferences } from '../segment/postings.ts';
import type { GramSet } from '../trigrams.ts';
import { createGramLists } from './gram-lists.ts';
import { decodeRun, type EncodedEntry, encodeRun, type RunEntry, type RunStore } from './runs.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface InverterOptions {
  /** Is emptied at once, and used until the last document. */
  readonly vocabulary: Vocabulary;
  readonly runs: RunStore;
  readonly hasher: Hasher;
  /** Bytes of lists in memory; one document can take it above that. */
  readonly maxBytes?: number;
}

/** Turns the n-grams of documents into the documents of n-grams. Holds a bounded part of it in memory, the rest in runs. */
export interface Inverter {
  /** Documents come in the order of their numbers. */
  add(document: number, grams: GramSet): void;
  /** Every n-gram with its documents, in byte order; once, after the last document. */
  postings(documentCount: number): Generator<{ readonly trigram: Buffer; readonly documents: ArrayLike<number> }>;
}

/** Some 20 million pairs of n-gram and document (search-rules 24: a million files in less than 400 MB); twice that for a moment, when it grows. */
export const MAX_RUN_BYTES = 32 * 2 ** 20;

export function createInverter({ vocabulary, runs, hasher, maxBytes = MAX_RUN_BYTES }: InverterOptions): Inverter {
  let lists = createGramLists(maxBytes);
  /** Bytes of each run that was written. */
  const written: number[] = [];
  vocabulary.clear();

  function* entries(): Generator<EncodedEntry> {
    for (const { number, bytes } of vocabulary.inOrder()) yield { gram: bytes, count: lists.count(number), list: lists.list(number) };
  }

  function flush(): void {
    const run = written.length;
    let bytes = 0;
    const counted = function* (parts: Iterable<Uint8Array>): Generator<Uint8Array> {
      for (const part of parts) {
        bytes += part.length;
        yield part;
      }
    };
    runs.write(run, counted(encodeRun(entries(), { run, hasher })));
    written.push(bytes);
    // Runs hold the n-grams themselves: so those of all files of a tree need not be in memory together.
    vocabulary.clear();
    lists.clear();
  }

  return {
    add(document, grams) {
      lists.add(vocabulary.numbersOf(grams), document);
      if (lists.bytes >= maxBytes) flush();
    },
    *postings(documentCount) {
      if (written.length === 0) {
        for (const { gram, count, list } of entries()) yield { trigram: gram, documents: readDifferences(new ByteReader(list), count, documentCount) };
        return;
      }
      if (lists.bytes > 0) flush();
      // The merge needs room for itself.
      lists = createGramLists(0);
      const sources = written.map((bytes, run) => decodeRun(runs.read(run), bytes, documentCount, { run, hasher }));
      yield* merged(sources);
    },
  };
}

/** Lists of the same n-gram follow each other in the order of the runs, which is the order of documents. */
function* merged(sources: readonly Generator<RunEntry>[]): Generator<{ readonly trigram: Buffer; readonly documents: ArrayLike<number> }> {
  const heads = sources.map((source) => ({ source, entry: nextOf(source) }));
  for (;;) {
    let least: Buffer | undefined;
    for (const { entry } of heads) if (entry !== undefined && (least === undefined || Buffer.compare(entry.gram, least) < 0)) least = entry.gram;
    if (least === undefined) return;
    const lists: Uint32Array[] = [];
    for (const head of heads) {
      if (head.entry === undefined || !head.entry.gram.equals(least)) continue;
      lists.push(head.entry.documents);
      head.entry = nextOf(head.source);
    }
    yield { trigram: least, documents: joined(lists) };
  }
}

function nextOf(source: Generator<RunEntry>): RunEntry | undefined {
  const next = source.next();
  return next.done === true ? undefined : next.value;
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
