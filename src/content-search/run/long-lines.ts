import { CONTENT_LINE_MAX_BYTES } from '../../contracts/index.ts';
import type { FileReader } from '../../core/ports/index.ts';

/** Bytes of UTF-8 from which on a line is surely cut, a CR at its end included. */
export const LONG_LINE_BYTES = CONTENT_LINE_MAX_BYTES + 2;

/** A line that is longer than an event shows. */
export interface LongLine {
  /** Counted from 1. */
  readonly line: number;
  /** Its beginning as UTF-8: so many bytes as show where it is to be cut. */
  readonly head: Buffer;
}

const LINE_FEED = 0x0a;
const BLOCK_BYTES = 256 * 1024;

/** The long lines of a file in order, as backends see them: without a byte order mark, UTF-16 and UTF-32 with one as UTF-8. `undefined` after each block, so that others can have their turn. */
export function* longLines(reader: FileReader): Generator<LongLine | undefined, void, void> {
  const head = Buffer.allocUnsafe(LONG_LINE_BYTES);
  let length = 0;
  let line = 1;
  for (const block of textOf(reader)) {
    for (let at = 0; at < block.length; ) {
      const found = block.indexOf(LINE_FEED, at);
      const end = found < 0 ? block.length : found;
      const isShort = length < LONG_LINE_BYTES;
      if (isShort) length += block.copy(head, length, at, end);
      if (isShort && length === LONG_LINE_BYTES) yield { line, head: Buffer.from(head) };
      at = end + 1;
      if (found < 0) continue;
      line += 1;
      length = 0;
    }
    yield undefined;
  }
}

/** Byte order marks, and what comes behind them. That of UTF-32 begins like that of UTF-16. */
const MARKS = [
  { mark: [0xff, 0xfe, 0, 0], decoder: () => utf32((bytes, at) => bytes.readUInt32LE(at)) },
  { mark: [0, 0, 0xfe, 0xff], decoder: () => utf32((bytes, at) => bytes.readUInt32BE(at)) },
  { mark: [0xff, 0xfe], decoder: () => utf16('utf-16le') },
  { mark: [0xfe, 0xff], decoder: () => utf16('utf-16be') },
  { mark: [0xef, 0xbb, 0xbf], decoder: undefined },
] as const;

type Mark = (typeof MARKS)[number];

function markOf(reader: FileReader): Mark | undefined {
  const start = Buffer.alloc(4);
  const bytes = start.subarray(0, reader.read(start, 0));
  return MARKS.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte));
}

/** Whether a backend reads other bytes than the file has. */
export function isTranscoded(reader: FileReader): boolean {
  return markOf(reader)?.decoder !== undefined;
}

function* textOf(reader: FileReader): Generator<Buffer, void, void> {
  const found = markOf(reader);
  const decode = found?.decoder?.();
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let at = found?.mark.length ?? 0;
  for (let read = reader.read(block, at); read > 0; read = reader.read(block, at)) {
    const bytes = block.subarray(0, read);
    yield decode === undefined ? bytes : Buffer.from(decode(bytes));
    at += read;
  }
}

type Decode = (bytes: Buffer) => string;

function utf16(encoding: 'utf-16le' | 'utf-16be'): Decode {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  return (bytes) => decoder.decode(bytes, { stream: true });
}

const LAST_CODE_POINT = 0x10ffff;

function utf32(codePoint: (bytes: Buffer, at: number) => number): Decode {
  return (bytes) => {
    let text = '';
    for (let at = 0; at + 4 <= bytes.length; at += 4) {
      const point = codePoint(bytes, at);
      text += point > LAST_CODE_POINT ? '\ufffd' : String.fromCodePoint(point);
    }
    return text;
  };
}
