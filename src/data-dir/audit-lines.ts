import type { FileHandle } from 'node:fs/promises';
import { MAX_LINE_BYTES } from '../core/audit-chain.ts';

const LINE_END = 0x0a;
const CHUNK_BYTES = 1024 * 1024;

/** One chunk's worth of whole lines, without their ends; `torn`: what follows the last line end of the file. */
export interface Lines {
  readonly lines: readonly Buffer[];
  readonly torn: Buffer;
}

/** The lines of the first `size` bytes, in portions, in constant memory. A line that is far too long comes in pieces: no piece of it is a record. */
export async function* linesOf(handle: FileHandle, size: number): AsyncGenerator<Lines> {
  let rest: Buffer = Buffer.alloc(0);
  for (let offset = 0; offset < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - offset));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, offset);
    if (bytesRead === 0) break;
    offset += bytesRead;
    const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
    const { lines, torn } = split(bytes);
    const tooLong = torn.length > MAX_LINE_BYTES && offset < size;
    rest = tooLong ? Buffer.alloc(0) : torn;
    yield { lines: tooLong ? [...lines, torn] : lines, torn: offset < size ? Buffer.alloc(0) : torn };
  }
}

function split(bytes: Buffer): Lines {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return { lines, torn: bytes.subarray(start) };
}

/** Ends of lines that were written together, newest last, and the bytes behind the last line end. */
export interface FileEnd extends Lines {
  /** Length of the file without the torn bytes. */
  readonly wholeBytes: number;
}

/**
 * The last whole lines within the last `window` bytes of a file, without reading the rest.
 *
 * @returns `undefined` when no line ends in there, though the file is longer
 */
export async function endOf(handle: FileHandle, size: number, window: number): Promise<FileEnd | undefined> {
  const offset = Math.max(0, size - window);
  const bytes = Buffer.alloc(size - offset);
  for (let have = 0; have < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, have, bytes.length - have, offset + have);
    if (bytesRead === 0) break;
    have += bytesRead;
  }
  const { lines, torn } = split(bytes);
  // The first line of the window may have begun before it.
  const whole = offset === 0 ? lines : lines.slice(1);
  if (whole.length === 0 && offset > 0) return undefined;
  return { lines: whole, torn, wholeBytes: size - torn.length };
}
