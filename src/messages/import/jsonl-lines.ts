import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { MAX_INGEST_BYTES } from '../../contracts/index.ts';

const PIECE = 256 * 1024;
const LF = 0x0a;

/** How far a file is read: everything before `offset` is what the hash says. */
export interface Bookmark {
  readonly offset: number;
  /** Line ends before the offset. */
  readonly line: number;
  /** SHA-256 in hex of all bytes before the offset. */
  readonly sha256: string;
}

export interface Line {
  /** Without its end; `undefined` for one of more than MAX_INGEST_BYTES. */
  readonly bytes: Buffer | undefined;
  readonly number: number;
  /** Behind the line and its end. */
  readonly bookmark: Bookmark;
}

/** Whether all before a bookmark is as it was, and what follows is another line: a last line without an end may have grown since. */
export async function isAsRead(file: FileHandle, { offset, sha256 }: Bookmark): Promise<boolean> {
  return (await isLineEnd(file, offset)) && (await hashUntil(file, offset)).digest('hex') === sha256;
}

async function isLineEnd(file: FileHandle, offset: number): Promise<boolean> {
  if (offset === 0) return true;
  const { bytesRead, buffer } = await file.read(Buffer.alloc(2), 0, 2, offset - 1);
  return bytesRead === 1 || (bytesRead === 2 && buffer.includes(LF));
}

/** Reading a gigabyte for it takes a few seconds, which is little beside what an import takes. */
async function hashUntil(file: FileHandle, offset: number): Promise<Hash> {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(PIECE);
  for (let at = 0; at < offset; ) {
    const { bytesRead } = await file.read(piece, 0, Math.min(PIECE, offset - at), at);
    if (bytesRead === 0) break;
    hash.update(piece.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash;
}

/** The lines behind a bookmark, or all. A line that is too long is passed over as it comes in, so that it never fills memory. */
export async function* linesOf(file: FileHandle, after: Bookmark | undefined): AsyncGenerator<Line, void, void> {
  const piece = Buffer.alloc(PIECE);
  const hash = await hashUntil(file, after?.offset ?? 0);
  let [at, ends] = [after?.offset ?? 0, after?.line ?? 0];
  let kept: Buffer[] = [];
  let length = 0;
  const keep = (bytes: Buffer): void => {
    hash.update(bytes);
    length += bytes.length;
    if (length > MAX_INGEST_BYTES) kept = [];
    else kept.push(Buffer.from(bytes));
  };
  const line = (number: number, offset: number): Line => {
    const bytes = length > MAX_INGEST_BYTES ? undefined : Buffer.concat(kept);
    [kept, length] = [[], 0];
    return { bytes, number, bookmark: { offset, line: ends, sha256: hash.copy().digest('hex') } };
  };
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, PIECE, at);
    if (bytesRead === 0) break;
    const read = piece.subarray(0, bytesRead);
    let begin = 0;
    for (let feed = read.indexOf(LF); feed >= 0; feed = read.indexOf(LF, begin)) {
      keep(read.subarray(begin, feed));
      begin = feed + 1;
      ends += 1;
      hash.update('\n');
      yield line(ends, at + begin);
    }
    keep(read.subarray(begin));
    at += bytesRead;
  }
  if (length > 0) yield line(ends + 1, at);
}
