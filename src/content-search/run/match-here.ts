import { isAscii, isUtf8 } from 'node:buffer';
import type { BackendQuery, SearchBackend } from '../../core/ports/index.ts';
import { lineText } from '../backends/parse-output.ts';
import { isLiteral } from '../ngram-index/query/query-plan.ts';
import type { Candidate, RunEvent } from '../search/types.ts';
import type { Chunk } from './chunks.ts';

/** What was found in this process, and what a backend must still look into. */
interface FoundHere {
  /** In order. */
  readonly events: readonly RunEvent[];
  readonly rest: readonly Candidate[];
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

/**
 * Searches the files of a chunk in this process where that is provably what a backend does: the start of one takes longer than
 * to look into some dozens of small files. The text is a literal without a border; the file is UTF-8 without a mark and
 * without NUL. A file of another kind, in which the bytes of the text do not stand, has no match either, unless a backend may
 * decode it. Everything else is the rest.
 */
export function matchHere({ first, files }: Chunk, options: HereOptions): FoundHere {
  const next = finderOf(options);
  if (next === undefined) return { events: [], rest: files };
  const events: RunEvent[] = [];
  const rest: Candidate[] = [];
  let left = MAX_BYTES;
  for (const [index, file] of files.entries()) {
    const bytes = left > 0 ? options.read(file, Math.min(left, MAX_FILE_BYTES)) : undefined;
    left -= bytes?.length ?? 0;
    const found = bytes === undefined ? 'unknown' : look(bytes, next);
    if (found === 'unknown') rest.push(file);
    else if (found !== 'nothing') for (const event of eventsIn(found, { file: first + index, path: file.text }, next, options)) events.push(event);
  }
  return { events, rest };
}

/** A place in a text, one character for each byte; -1 if there is none from `from` on. */
type Finder = (text: string, from: number) => number;

/** How the literal is found; undefined for a search of another kind. */
function finderOf({ query, backend: { folding } }: HereOptions): Finder | undefined {
  const { pattern, fixedStrings, wordRegexp, ignoreCase, fuzzy } = query;
  const isSimple =
    fuzzy === 0 && !wordRegexp && folding !== 'UNKNOWN' && pattern.isWellFormed() && !/[\0\r\n]/.test(pattern) && isLiteral(pattern, fixedStrings);
  if (!isSimple) return undefined;
  const bytes = Buffer.from(pattern).toString('latin1');
  if (!ignoreCase) return (text, from) => text.indexOf(bytes, from);
  if (bytes !== pattern) return undefined;
  const expression = new RegExp([...pattern].map((character) => anyCase(character, folding)).join(''), 'g');
  return (text, from) => {
    expression.lastIndex = from;
    return expression.exec(text)?.index ?? -1;
  };
}

/** What `-i` takes as equal to a character of ASCII, in bytes: the probe of the backend has shown which of two it is. */
function anyCase(character: string, folding: SearchBackend['folding']): string {
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  if (lower === upper) return character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');
  const beyond = folding === 'UNICODE_SIMPLE' ? BEYOND_ASCII[lower] : undefined;
  return beyond === undefined ? `[${lower}${upper}]` : `(?:[${lower}${upper}]|${beyond})`;
}

/** The Kelvin sign and the long s. */
const BEYOND_ASCII: Readonly<Record<string, string>> = { k: '\\xe2\\x84\\xaa', s: '\\xc5\\xbf' };

/** The text of a file in which there is something to tell of. */
interface Looked {
  readonly bytes: Buffer;
  /** One character for each byte. */
  readonly text: string;
  readonly first: number;
}

function look(bytes: Buffer, next: Finder): Looked | 'nothing' | 'unknown' {
  // Marks of UTF-16 and UTF-32, and what may be taken for one.
  if (DECODED.has(bytes[0] ?? -1)) return 'unknown';
  const text = bytes.toString('latin1');
  const first = next(text, 0);
  if (first < 0) return 'nothing';
  const isPlain = isUtf8(bytes) && !bytes.includes(0) && !(bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf);
  return isPlain ? { bytes, text, first } : 'unknown';
}

const DECODED = new Set([0x00, 0xfe, 0xff]);

function eventsIn({ bytes, text, first }: Looked, of: Pick<RunEvent, 'file' | 'path'>, next: Finder, { query, onCut }: HereOptions): RunEvent[] {
  const { context, maxCount } = query;
  const events: RunEvent[] = [];
  const ascii = isAscii(bytes) ? text : undefined;
  const lines = linesOf(text);
  /** The first line that has no event yet. */
  let free = 0;
  const tell = (type: RunEvent['type'], line: number): void => {
    const { shown, isCut } = lineText(bytes, lines.start(line), lines.end(line), ascii);
    const event = { ...of, type, line: line + 1, text: shown };
    if (isCut) onCut(event);
    events.push(event);
    free = line + 1;
  };
  const tellContext = (until: number): void => {
    while (free < until && free < lines.count) tell('context', free);
  };
  let [at, matches, last] = [first, 0, Number.NEGATIVE_INFINITY];
  while (at >= 0 && matches < maxCount) {
    const line = lines.at(at);
    tellContext(Math.min(last + context + 1, line));
    free = Math.max(free, line - context);
    tellContext(line);
    tell('match', line);
    [matches, last] = [matches + 1, line];
    at = lines.end(line) < text.length ? next(text, lines.end(line) + 1) : -1;
  }
  tellContext(last + context + 1);
  return events;
}

interface Lines {
  readonly count: number;
  /** The line, counted from 0, that has the character. */
  at(place: number): number;
  start(line: number): number;
  /** The place of its line end, or of the end of the text. */
  end(line: number): number;
}

function linesOf(text: string): Lines {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  const end = (line: number): number => {
    const next = starts[line + 1];
    return next === undefined ? (text.endsWith('\n') ? text.length - 1 : text.length) : next - 1;
  };
  let current = 0;
  return {
    count: starts.length,
    // Matches come in order.
    at(place) {
      while (current + 1 < starts.length && (starts[current + 1] ?? 0) <= place) current += 1;
      return current;
    },
    start: (line) => starts[line] ?? 0,
    end,
  };
}
