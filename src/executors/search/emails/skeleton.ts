import { createHash } from 'node:crypto';
import { ScanError } from '../scan-error.ts';
import { createBoundaries } from './boundaries.ts';
import { asBuffer, DASH, endOfText, LF } from './bytes.ts';
import { readHead } from './head.ts';
import { kindOf, LONGEST_BOUNDARY } from './part-kind.ts';
import { LINE_OF_DASHES } from './text-parts.ts';

/** What is kept of one message at the same time: its headers and its plain texts. */
export const MAX_KEPT = 32 * 1024 * 1024;

export interface Skeleton {
  /** The message without what its other parts hold; it reads like the whole one. */
  readonly bytes: Buffer;
  /** Of the whole message: SHA-256, hexadecimal. */
  readonly sha256: string;
}

/**
 * Takes a large message in pieces and leaves out attachments, HTML and the like on the way, so that 100 MB of them cost no
 * memory. Throws ScanError RESOURCE_EXHAUSTED when headers and plain texts alone are larger than `MAX_KEPT`: a part of a
 * text would be a partial answer.
 *
 * @param what the message, for that error
 */
export async function skeletonOf(pieces: AsyncIterable<Uint8Array>, what = 'a message'): Promise<Skeleton> {
  const hash = createHash('sha256');
  const kept = createKept(what);
  const filter = createFilter(kept.add, what);
  for await (const piece of pieces) {
    const bytes = asBuffer(piece);
    hash.update(bytes);
    filter.take(bytes);
  }
  filter.end();
  return { bytes: kept.bytes(), sha256: hash.digest('hex') };
}

interface Kept {
  add(bytes: Buffer): void;
  bytes(): Buffer;
}

/** Bytes in blocks: lines are short, and an object for each would cost more than the line. */
function createKept(what: string): Kept {
  const full: Buffer[] = [];
  let block = Buffer.allocUnsafe(BLOCK);
  let used = 0;
  let total = 0;
  return {
    add(bytes) {
      total += bytes.length;
      if (total > MAX_KEPT) throw new ScanError('RESOURCE_EXHAUSTED', `${what} has more than ${MAX_KEPT / 1024 / 1024} MiB of headers and plain text`);
      for (let from = 0; from < bytes.length; ) {
        const copied = bytes.copy(block, used, from);
        from += copied;
        used += copied;
        if (used < BLOCK) continue;
        full.push(block);
        block = Buffer.allocUnsafe(BLOCK);
        used = 0;
      }
    },
    bytes: () => Buffer.concat([...full, block.subarray(0, used)]),
  };
}
const BLOCK = 1024 * 1024;

/** Longer than a delimiter can be: the rest of such a line cannot make it one. */
const LINE_START = LONGEST_BOUNDARY + 65;

interface Filter {
  take(bytes: Buffer): void;
  end(): void;
}

/** Passes on headers, delimiters and plain texts, line by line; of other lines it holds no more than a delimiter's length. */
function createFilter(keep: (bytes: Buffer) => void, what: string): Filter {
  const boundaries = createBoundaries();
  let state: 'head' | 'text' | 'other' = 'head';
  let childType = 'text/plain';
  /** Lines of the head so far, or the line that is not over. */
  let head: Buffer[] = [];
  let headSize = 0;
  let line: Buffer[] = [];
  let lineSize = 0;

  function take(bytes: Buffer): void {
    for (let from = 0; from < bytes.length; ) {
      from = passBody(bytes, from);
      if (from === bytes.length) return;
      const feed = bytes.indexOf(LF, from);
      const to = feed < 0 ? bytes.length : feed + 1;
      hold(bytes.subarray(from, to));
      if (feed >= 0) endLine();
      from = to;
    }
  }

  /** Many lines at once: in a body all up to the next that might be a delimiter, if `from` is the beginning of a line. Returns how far. */
  function passBody(bytes: Buffer, from: number): number {
    if (state === 'head' || lineSize > 0 || bytes[from] === DASH) return from;
    const dashes = bytes.indexOf(LINE_OF_DASHES, from);
    const to = (dashes < 0 ? bytes.lastIndexOf(LF) : dashes) + 1;
    if (to <= from) return from;
    if (state === 'text') keep(bytes.subarray(from, to));
    return to;
  }

  function hold(part: Buffer): void {
    if (state === 'other' && lineSize > LINE_START) return;
    lineSize += part.length;
    if (lineSize + headSize > MAX_KEPT) throw new ScanError('RESOURCE_EXHAUSTED', `${what} has a line, or headers, of more than ${MAX_KEPT / 1024 / 1024} MiB`);
    // The bytes may be overwritten before the line is over.
    line.push(Buffer.from(part));
  }

  function endLine(): void {
    const [only = EMPTY] = line;
    const whole = line.length === 1 ? only : Buffer.concat(line);
    line = [];
    lineSize = 0;
    takeLine(whole);
  }

  function takeLine(whole: Buffer): void {
    const delimiter = boundaries.find(whole, 0, whole.length);
    if (delimiter !== undefined) {
      if (state === 'head') flushHead();
      boundaries.cut(delimiter.closes ? delimiter.level : delimiter.level + 1);
      keep(whole);
      state = delimiter.closes ? 'other' : 'head';
      childType = boundaries.childType;
    } else if (state === 'head') headLine(whole);
    else if (state === 'text') keep(whole);
  }

  function headLine(whole: Buffer): void {
    if (endOfText(whole, 0, whole.length) > 0 && !isHeader(whole)) {
      // A line that belongs to no header begins the body; it may be the first delimiter of the multipart that the head names.
      flushHead();
      takeLine(whole);
      return;
    }
    head.push(whole);
    headSize += whole.length;
    if (endOfText(whole, 0, whole.length) === 0) flushHead();
  }

  function isHeader(whole: Buffer): boolean {
    // A line that continues a field is one only behind a field.
    const before = head.length === 0 ? EMPTY : FIELD;
    return readHead(Buffer.concat([before, whole]), 0, never).bodyStart > before.length;
  }

  function flushHead(): void {
    const bytes = Buffer.concat(head);
    head = [];
    headSize = 0;
    keep(bytes);
    const kind = kindOf(readHead(bytes, 0, never), childType);
    if (kind.kind === 'multipart') boundaries.push(kind.boundary, kind.childType);
    state = kind.kind === 'text' ? 'text' : 'other';
  }

  return {
    take,
    end() {
      if (line.length > 0) endLine();
      if (head.length > 0) flushHead();
    },
  };
}

const EMPTY = Buffer.alloc(0);
const FIELD = Buffer.from('X: \n');
const never = (): boolean => false;
