import type { GramSet } from '../trigrams.ts';
import { decodeRun, encodeRun, type RunEntry, type RunStore } from './runs.ts';
import { createVocabulary, type Vocabulary } from './vocabulary.ts';

export interface InverterOptions {
  /** Code points of an n-gram. */
  readonly k: number;
  readonly runs: RunStore;
  /** Pairs of n-gram and document that are held in memory, 8 bytes each. */
  readonly maxPairs?: number;
}

/** Turns the n-grams of documents into the documents of n-grams. Holds a bounded part of it in memory, the rest in runs. */
export interface Inverter {
  /** Documents come in the order of their numbers. */
  add(document: number, grams: GramSet): void;
  /** Every n-gram with its documents, in byte order; once, after the last document. */
  postings(documentCount: number): Generator<{ readonly trigram: Buffer; readonly documents: ArrayLike<number> }>;
}

/** 8 million pairs are 64 MB while a run is sorted (search-rules 24: a million files in less than 400 MB). */
export const MAX_PAIRS = 8_000_000;

export function createInverter({ k, runs, maxPairs = MAX_PAIRS }: InverterOptions): Inverter {
  let vocabulary = createVocabulary(k);
  const held = new Uint32Array(maxPairs);
  let count = 0;
  /** Where the numbers of a document begin in `held`, and its number. */
  let starts: { readonly at: number; readonly document: number }[] = [];
  let written = 0;

  function flush(): void {
    runs.write(written, encodeRun(sorted(vocabulary, held.subarray(0, count), starts)));
    written += 1;
    count = 0;
    starts = [];
    // Runs hold the n-grams themselves: so those of all files of a tree need not be in memory together.
    vocabulary = createVocabulary(k);
  }

  return {
    add(document, grams) {
      const size = grams.narrow.length + grams.wide.length / k;
      if (size > held.length) throw new RangeError('a document has more n-grams than fit into memory');
      // Before numbers are asked for: the next run has its own.
      if (count + size > held.length) flush();
      const numbers = vocabulary.numbersOf(grams);
      starts.push({ at: count, document });
      held.set(numbers, count);
      count += numbers.length;
    },
    *postings(documentCount) {
      if (written === 0) {
        for (const { gram, documents } of sorted(vocabulary, held.subarray(0, count), starts)) yield { trigram: gram, documents };
        return;
      }
      if (count > 0) flush();
      const sources = Array.from({ length: written }, (_, run) => decodeRun(runs.read(run), documentCount));
      yield* merged(sources);
    },
  };
}

/** The pairs of a run by n-gram: a counting sort, which keeps the order of documents. */
function* sorted(
  vocabulary: Vocabulary,
  numbers: Uint32Array,
  starts: readonly { readonly at: number; readonly document: number }[],
): Generator<{ readonly gram: Buffer; readonly documents: Uint32Array }> {
  // First how often each occurs, then where its documents begin.
  const begins = new Uint32Array(vocabulary.size + 1);
  for (const number of numbers) begins[number] = (begins[number] ?? 0) + 1;
  let total = 0;
  for (let number = 0; number < begins.length; number += 1) {
    const many = begins[number] ?? 0;
    begins[number] = total;
    total += many;
  }
  const documents = new Uint32Array(numbers.length);
  const next = Uint32Array.from(begins);
  for (const [index, { at, document }] of starts.entries()) {
    const end = starts[index + 1]?.at ?? numbers.length;
    for (let i = at; i < end; i += 1) {
      const number = numbers[i] ?? 0;
      const to = next[number] ?? 0;
      documents[to] = document;
      next[number] = to + 1;
    }
  }
  for (const { number, bytes } of vocabulary.inOrder()) yield { gram: bytes, documents: documents.subarray(begins[number], begins[number + 1]) };
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
