import { linkSync, readFileSync } from 'node:fs';
import type { Tantivy, TantivyIndex, TantivyQuery } from './binding.ts';
import { numbersFile, type Segment, segmentsIn, writeWhole } from './generations.ts';
import { NUMBER, registerTokenizers } from './schema.ts';

const HALF = 2 ** 32;

/** Numbers (`numberOf`) of the documents of a segment; NaN for those that are deleted. */
export type Numbers = Float64Array;

export function readNumbers(directory: string, { id, documents }: Segment): Numbers {
  const bytes = readFileSync(numbersFile(directory, id));
  if (bytes.length !== documents * Float64Array.BYTES_PER_ELEMENT) throw new Error(`the numbers of segment ${id} have another length`);
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

export interface NewDocuments {
  /** Finds what was written last; `undefined`: everything. */
  readonly query: ((index: TantivyIndex) => TantivyQuery) | undefined;
  readonly count: number;
  /** Whether some number needs its second half. */
  readonly large: boolean;
}

/**
 * Writes the numbers of the segments of a generation that have none yet. A hit has no number of its own, and to ask for the
 * stored fields of one takes 40 µs; ordered by a field, hits come with its value.
 */
export function writeNumbers(tantivy: Tantivy, directory: string, work: string, known: Map<string, Numbers>, fresh: NewDocuments): void {
  const segments = segmentsIn(directory);
  const missing = segments.filter(({ id }) => !known.has(id));
  if (missing.length > 0) {
    const index = tantivy.Index.open(directory);
    registerTokenizers(tantivy, index);
    const living = missing.reduce((sum, { documents, deleted }) => sum + documents - deleted, 0);
    const few =
      fresh.query !== undefined && living <= fresh.count ? collect(index, segments, known, { query: fresh.query(index), large: fresh.large }) : undefined;
    const found =
      few !== undefined && few.count >= living ? few.numbers : collect(index, segments, known, { query: tantivy.Query.allQuery(), large: fresh.large }).numbers;
    for (const { id } of missing) {
      const numbers = found.get(id) ?? new Float64Array();
      writeWhole(numbersFile(directory, id), new Uint8Array(numbers.buffer));
      // Later generations take it from where the files of the segment are.
      linkSync(numbersFile(directory, id), numbersFile(work, id));
      known.set(id, numbers);
    }
  }
  const current = new Set(segments.map(({ id }) => id));
  for (const id of known.keys()) if (!current.has(id)) known.delete(id);
}

function collect(
  index: TantivyIndex,
  segments: readonly Segment[],
  known: ReadonlyMap<string, Numbers>,
  { query, large }: { query: TantivyQuery; large: boolean },
): { readonly numbers: ReadonlyMap<string, Numbers>; readonly count: number } {
  const searcher = index.searcher();
  const numbers = new Map(segments.filter(({ id }) => !known.has(id)).map(({ id, documents }) => [id, new Float64Array(documents).fill(Number.NaN)]));
  let count = 0;
  const each = (field: string, put: (into: Numbers, doc: number, value: number) => void): void => {
    for (const { docAddress, order } of searcher.search(query, Math.max(1, searcher.numDocs), false, field).hits) {
      const into = numbers.get(segments[docAddress.segmentOrd]?.id ?? '');
      if (into !== undefined) put(into, docAddress.doc, order ?? Number.NaN);
    }
  };
  each(NUMBER.low, (into, doc, value) => {
    into[doc] = value;
    count += 1;
  });
  if (large) each(NUMBER.high, (into, doc, value) => (into[doc] = (into[doc] ?? Number.NaN) + value * HALF));
  return { numbers, count };
}
