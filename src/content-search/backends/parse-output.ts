import { isAscii } from 'node:buffer';
import { CONTENT_LINE_MAX_BYTES } from '../../contracts/index.ts';
import type { RunEvent } from '../search/types.ts';
import { type FileNames, fileNames } from './file-names.ts';

/** What a process was asked to search: its output may name these and nothing else. */
interface Expected {
  /** The files, in order, by their paths in the answer. */
  readonly files: readonly { readonly text: string }[];
  /** Number of the first of them among the candidates. */
  readonly first: number;
  /** The name by which the process calls one of them. */
  readonly printed: (index: number) => string;
}

/** Reads the output of one process, piece by piece. Holds one unfinished line at most, and of that no more than a line may have. */
export interface OutputParser {
  /** Takes the next bytes and gives the events that end in them, as the process printed them. */
  push(block: Buffer): readonly RunEvent[];
  /** Says that no more will come. A record without its end is a violation, unless the process was stopped. */
  end(wasStopped: boolean): void;
  /** What in the output is not what a backend prints; nothing is read after it. */
  readonly violation: string | undefined;
  /** Whether the events came in the order of files and lines so far. */
  readonly ordered: boolean;
  /** Index of the file whose events came last; -1 before the first. In an ordered output all files before it are finished. */
  readonly current: number;
}

const NUL = 0;
const LF = 0x0a;
const CR = 0x0d;
const ZERO = 0x30;
const TYPES: Readonly<Record<number, RunEvent['type']>> = { 58: 'match', 124: 'match', 45: 'context' };
const EMPTY = Buffer.alloc(0);
/** A path and a number that are longer than this are none. */
const HEAD_MAX_BYTES = 3 * 65_536;

/**
 * A parser for `PATH NUL LINE (:|-) text LF`; `|` marks the further lines of a match that spans several (ugrep). The path
 * ends at the first NUL, so that a line end in a name does no harm; the text ends at the line end, so that a NUL in it does
 * none. One CRLF or LF is no part of the text; what is not UTF-8 becomes U+FFFD as the WHATWG decoder has it (FR-LSI-ENC-01).
 *
 * @param onCut told of each event whose text was longer than 64 KiB (CONTENT_LINE_MAX_BYTES)
 * @param onFar given: each record has the place of its match (`BackendQuery.offsets`). Told of the places, in bytes, of those
 *   matches that no line of ordinary length can lead to: more than 64 KiB behind the match before, or the start of the file
 */
export function outputParser(expected: Expected, onCut: (event: RunEvent) => void, onFar?: (event: RunEvent, offset: number) => void): OutputParser {
  const names: FileNames = fileNames(expected.files.length, expected.printed);
  let rest: Buffer = EMPTY;
  let skipping = false;
  let violation: string | undefined;
  let ordered = true;
  let current = -1;
  let lastLine = 0;
  let lastOffset = 0;
  let behind = 0;

  /** Says what is wrong; nothing of the data is read. */
  const refuse = (what: string, data: Buffer): number => {
    violation = what;
    return data.length;
  };

  const place = (index: number, line: number): void => {
    if (index !== current) lastOffset = 0;
    if (index === current ? line < lastLine : index < current) ordered = false;
    current = index;
    lastLine = line;
  };

  /** The number whose digits begin at `from`; `behind` is where they end then. */
  const numberAt = (data: Buffer, from: number): number => {
    let number = 0;
    behind = from;
    for (let byte = data[behind]; byte !== undefined && byte >= ZERO && byte <= ZERO + 9; byte = data[behind]) {
      number = number * 10 + (byte - ZERO);
      behind += 1;
    }
    return number;
  };

  const eventOf = (index: number, type: RunEvent['type'], line: number, text: string): RunEvent => {
    place(index, line);
    return { file: expected.first + index, path: expected.files[index]?.text ?? '', type, line, text };
  };

  /** The records in `data`; gives the position of the first byte that belongs to none. */
  const readAll = (data: Buffer, events: RunEvent[]): number => {
    // Slices of one string cost less than a decoding for each line, and most text is ASCII.
    const ascii = isAscii(data) ? data.toString('latin1') : undefined;
    let at = 0;
    for (;;) {
      if (skipping) {
        const end = data.indexOf(LF, at);
        if (end < 0) return data.length;
        skipping = false;
        at = end + 1;
      }
      const nul = data.indexOf(NUL, at);
      if (nul < 0) return data.length - at > HEAD_MAX_BYTES ? refuse('a name without end', data) : at;
      const line = numberAt(data, nul + 1);
      let digit = behind;
      const mark = data[digit];
      if (mark === undefined) return at;
      const type = TYPES[mark];
      if (type === undefined || digit === nul + 1) return refuse('a line without its number', data);
      let offset = 0;
      if (onFar !== undefined) {
        const from = digit + 1;
        offset = numberAt(data, from);
        digit = behind;
        if (data[digit] === undefined) return at;
        if (data[digit] !== mark || digit === from) return refuse('a line without its place', data);
      }
      const start = digit + 1;
      const end = data.indexOf(LF, start);
      if (end < 0 && data.length - start < CONTENT_LINE_MAX_BYTES + 2) return at;
      const index = names.find(data, at, nul);
      if (index < 0) return refuse('a file that was not asked for', data);
      const { shown, isCut } = lineText(data, start, end < 0 ? data.length : end, ascii);
      const event = eventOf(index, type, line, shown);
      if (isCut) onCut(event);
      if (offset - lastOffset > CONTENT_LINE_MAX_BYTES) onFar?.(event, offset);
      lastOffset = offset;
      events.push(event);
      skipping = end < 0;
      at = end < 0 ? data.length : end + 1;
    }
  };

  return {
    push(block) {
      const events: RunEvent[] = [];
      if (violation !== undefined) return events;
      const data = rest.length === 0 ? block : Buffer.concat([rest, block]);
      const read = readAll(data, events);
      rest = read === data.length ? EMPTY : data.subarray(read);
      return events;
    },
    end(wasStopped) {
      if (!wasStopped && violation === undefined && (rest.length > 0 || skipping)) violation = 'a line without its end';
    },
    get violation() {
      return violation;
    },
    get ordered() {
      return ordered;
    },
    get current() {
      return current;
    },
  };
}

/**
 * The text of a line as an event has it: without the CR at its end, cut at 64 KiB (CONTENT_LINE_MAX_BYTES).
 *
 * @param ascii `data` as text, if it is ASCII
 */
export function lineText(data: Buffer, start: number, end: number, ascii: string | undefined): { readonly shown: string; readonly isCut: boolean } {
  const whole = end > start && data[end - 1] === CR ? end - 1 : end;
  const isCut = whole - start > CONTENT_LINE_MAX_BYTES;
  const stop = isCut ? cutAtCodePoint(data, start, CONTENT_LINE_MAX_BYTES) : whole;
  return { shown: ascii === undefined ? data.toString('utf8', start, stop) : ascii.slice(start, stop), isCut };
}

/** Where to cut UTF-8 text that begins at `start` so that it has at most `most` bytes and no code point is cut in two. Bytes that are not UTF-8 are cut anywhere. */
function cutAtCodePoint(data: Buffer, start: number, most: number): number {
  const limit = start + most;
  // A code point has at most three bytes behind its first.
  for (let at = limit; at > limit - 4 && at > start; at -= 1) {
    if (!isContinuation(data[at])) return at;
  }
  return limit;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
