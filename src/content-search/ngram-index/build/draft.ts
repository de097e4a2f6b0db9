import type { ByteSink, IndexFiles, SegmentName } from '../../../core/ports/index.ts';
import { CatalogWriter } from '../segment/catalog.ts';
import { DOCUMENT_FLAG, type SegmentDocument, segmentNumber } from '../segment/format.ts';
import type { SegmentPosting } from '../segment/postings.ts';
import { writeSegment } from '../segment/writer.ts';
import type { Hasher } from '../tokenize/hash.ts';
import type { GramSet } from '../tokenize/trigrams.ts';
import type { GramPairs } from './gram-pairs.ts';
import { createInverter, MAX_RUN_BYTES } from './invert.ts';
import { Halted, type Pace } from './pace.ts';

/** A segment that is being made: its documents are gathered in bounded memory (search-rules 24). */
export interface SegmentDraft {
  readonly documents: number;
  /** The path of the last document that is a file. */
  readonly last: Buffer | undefined;
  /** Adds a document; they come in key order. @param grams absent for documents that are `always` */
  add(document: SegmentDocument, grams: GramSet | undefined): void;
  /** Hides the path in earlier segments. */
  addGone(path: Buffer): void;
  /** Makes the segment durable under its name, and answers its bytes. @throws Halted; nothing is left then */
  write(): number;
  /** Removes a draft that is not written, and frees its memory. Called at the end in any case. */
  discard(): void;
}

export interface DraftParts {
  readonly index: IndexFiles;
  readonly into: SegmentName;
  readonly keyHash: Buffer;
  readonly pairs: GramPairs;
  readonly hasher: Hasher;
  readonly pace: Pace;
  /** The most bytes that the segment may have. */
  readonly roomBytes: number;
  readonly maxRunBytes?: number;
}

export function createDraft({ index, into, keyHash, pairs, hasher, pace, roomBytes, maxRunBytes = MAX_RUN_BYTES }: DraftParts): SegmentDraft {
  const runs = index.runs(into.generation);
  const inverter = createInverter({ pairs, runs, hasher, maxBytes: maxRunBytes });
  const catalog = new CatalogWriter(segmentNumber(into), hasher);
  let last: Buffer | undefined;

  return {
    get documents() {
      return catalog.documents;
    },
    get last() {
      return last;
    },
    add(document, grams) {
      const number = catalog.add(document);
      last = document.path;
      if (grams !== undefined) inverter.add(number, grams);
    },
    addGone: (path) => void catalog.add({ ...GONE, path }),
    discard() {
      runs.clear();
      pairs.release();
    },
    write() {
      const writer = index.create(into);
      try {
        const contents = { generation: segmentNumber(into), keyHash, catalog, postings: paced(inverter.postings(), pace) };
        const { bytes } = writeSegment(limited(writer, roomBytes), contents, hasher);
        writer.finish();
        return bytes;
      } catch (error) {
        writer.discard();
        throw error;
      } finally {
        runs.clear();
      }
    },
  };
}

const GONE = { size: 0, mtimeNs: 0n, ctimeNs: 0n, ino: 0n, dev: 0n, flags: DOCUMENT_FLAG.gone } as const satisfies Omit<SegmentDocument, 'path'>;

/** N-grams that take about as long as a file. */
const POSTINGS_OF_STEP = 128;

function* paced(postings: Iterable<SegmentPosting>, pace: Pace): Generator<SegmentPosting> {
  let count = 0;
  for (const posting of postings) {
    count += 1;
    if (count % POSTINGS_OF_STEP === 0) pace.step();
    yield posting;
  }
}

/** A segment that may not become larger than there is room. @throws Halted */
export function limited(to: ByteSink, roomBytes: number): ByteSink {
  let room = roomBytes;
  return {
    append(bytes) {
      room -= bytes.length;
      if (room < 0) throw new Halted('DISK');
      to.append(bytes);
    },
    writeHeader: (bytes) => to.writeHeader(bytes),
  };
}
