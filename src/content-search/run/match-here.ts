import { isUtf8 } from 'node:buffer';
import type { BackendQuery, SearchBackend } from '../../core/ports/index.ts';
import { lineText } from '../backends/parse-output.ts';
import type { Candidate, RunEvent } from '../search/types.ts';
import type { Chunk } from './chunks.ts';
import { linesOf } from './lines.ts';
import { type Literal, literalOf } from './literal.ts';

/** A slice of the work: what was found in this process since the one before, and what a backend must still look into. */
export interface FoundHere {
  /** In order. */
  readonly events: readonly RunEvent[];
  readonly rest: readonly Candidate[];
  /** Files of the chunk that are done with, counted from its first. */
  readonly looked: number;
}

interface HereOptions {
  readonly backend: Pick<SearchBackend, 'folding'>;
  readonly query: BackendQuery;
  /** The whole file if it is a plain one of at most so many bytes, and its owner may read it; undefined if a backend must say what it is. */
  readonly read: (candidate: Candidate, maxBytes: number) => Buffer | undefined;
  /** Told of each event whose text was cut. */
  readonly onCut: (event: RunEvent) => void;
}

/** More files than these, larger ones, and those behind so many bytes together are searched sooner by a backend. */
export const MAX_FILES_HERE = 128;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_BYTES = 8 * 1024 * 1024;
/** A slice ends with the file that comes to so many bytes, or with so many events: some milliseconds. */
const SLICE_BYTES = 256 * 1024;
const SLICE_EVENTS = 1024;

/**
 * Searches the files of a chunk in this process where that is provably what a backend does: the start of one takes longer than
 * to look into some dozens of small files. The text is a literal without a border; the file is UTF-8 without a mark and
 * without NUL. A file of another kind, in which the bytes of the text do not stand, has no match either, unless a backend may
 * decode it. Everything else is the rest. It comes in slices, so that whoever drives it can ask between them whether the answer
 * is still wanted; the last one is what it returns.
 */
export function* matchHere({ first, files }: Chunk, options: HereOptions): Generator<FoundHere, FoundHere, void> {
  const literal = literalOf(options.query, options.backend.folding);
  if (literal === undefined) return { events: [], rest: files, looked: files.length };
  let slice = emptySlice();
  let left = MAX_BYTES;
  for (const [index, file] of files.entries()) {
    const bytes = left > 0 ? options.read(file, Math.min(left, MAX_FILE_BYTES)) : undefined;
    left -= bytes?.length ?? 0;
    slice.bytes += bytes?.length ?? 0;
    const found = bytes === undefined ? 'unknown' : look(bytes, literal);
    if (found === 'unknown') slice.rest.push(file);
    else if (found !== 'nothing') {
      for (const event of eventsIn(found, { file: first + index, path: file.text }, options)) {
        slice.events.push(event);
        if (slice.events.length < SLICE_EVENTS) continue;
        yield { ...slice, looked: index };
        slice = emptySlice();
      }
    }
    if (slice.bytes < SLICE_BYTES || index + 1 === files.length) continue;
    yield { ...slice, looked: index + 1 };
    slice = emptySlice();
  }
  return { ...slice, looked: files.length };
}

const emptySlice = (): { readonly events: RunEvent[]; readonly rest: Candidate[]; bytes: number } => ({ events: [], rest: [], bytes: 0 });

/** A file in which there is something to tell of. */
interface Looked {
  readonly bytes: Buffer;
  /** A place of the literal; -1 if there is none from `from` on. */
  readonly next: (from: number) => number;
  readonly first: number;
}

function look(bytes: Buffer, { finder, alike }: Literal): Looked | 'nothing' | 'unknown' {
  // Marks of UTF-16 and UTF-32, and what may be taken for one.
  if (DECODED.has(bytes[0] ?? -1)) return 'unknown';
  const spelling = alike(bytes);
  if (spelling !== 'no sign') return spelling === 'spelt' ? 'unknown' : 'nothing';
  const next = finder(bytes);
  const first = next(0);
  if (first < 0) return 'nothing';
  const isPlain = isUtf8(bytes) && !bytes.includes(0) && !(bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf);
  return isPlain ? { bytes, first, next } : 'unknown';
}

const DECODED = new Set([0x00, 0xfe, 0xff]);

function* eventsIn({ bytes, first, next }: Looked, of: Pick<RunEvent, 'file' | 'path'>, { query, onCut }: HereOptions): Generator<RunEvent, void, void> {
  const { context, maxCount } = query;
  const lines = linesOf(bytes);
  /** The first line that has no event yet. */
  let free = 0;
  const told = (type: RunEvent['type'], line: number): RunEvent => {
    const { shown, isCut } = lineText(bytes, lines.start(line), lines.end(line), undefined);
    const event = { ...of, type, line: line + 1, text: shown };
    if (isCut) onCut(event);
    free = line + 1;
    return event;
  };
  function* contextUntil(until: number): Generator<RunEvent, void, void> {
    while (free < until && lines.has(free)) yield told('context', free);
  }
  let [at, matches, last] = [first, 0, Number.NEGATIVE_INFINITY];
  while (at >= 0 && matches < maxCount) {
    const line = lines.at(at);
    yield* contextUntil(Math.min(last + context + 1, line));
    free = Math.max(free, line - context);
    yield* contextUntil(line);
    yield told('match', line);
    [matches, last] = [matches + 1, line];
    at = lines.end(line) < bytes.length ? next(lines.end(line) + 1) : -1;
  }
  yield* contextUntil(last + context + 1);
}
