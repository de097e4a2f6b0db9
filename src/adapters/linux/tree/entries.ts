import { isUtf8 } from 'node:buffer';
import { isReservedName } from '../../../contracts/index.ts';

/** `struct linux_dirent64`: inode and offset with 8 bytes each, length of the record with 2, type with 1, name up to NUL. */
const LENGTH = 16;
const TYPE = 18;
const NAME = 19;

/** `d_type`, as far as it matters. Some file systems tell no types: then all is `UNKNOWN`. */
const DT_UNKNOWN = 0;
const DT_DIRECTORY = 4;
const DT_FILE = 8;

/** Gets the entries of a block; a name is the bytes from `start` up to `end`. */
export interface EntryTaker {
  file(start: number, end: number): void;
  directory(start: number, end: number): void;
  /** Of a type that only the file system can tell. */
  unknown(start: number, end: number): void;
}

/** Hands on the entries of `block` up to `filled`, without `.`, `..`, names of ours and types that no scan asks for. */
export function takeEntries(block: Buffer, filled: number, take: EntryTaker): void {
  let at = 0;
  while (at < filled) {
    const next = at + ((block[at + LENGTH] ?? 0) | ((block[at + LENGTH + 1] ?? 0) << 8));
    const type = block[at + TYPE];
    if (type === DT_FILE || type === DT_DIRECTORY || type === DT_UNKNOWN) {
      const start = at + NAME;
      let end = start;
      while (block[end] !== 0) end += 1;
      if (block[start] !== DOT || !isSkipped(block, start, end)) {
        if (type === DT_FILE) take.file(start, end);
        else if (type === DT_DIRECTORY) take.directory(start, end);
        else take.unknown(start, end);
      }
    }
    at = next;
  }
}

const DOT = 0x2e;

/** For names that begin with a dot; folding and NFC bring no other name to `.writ-`. */
function isSkipped(block: Buffer, start: number, end: number): boolean {
  const length = end - start;
  if (length === 1 || (length === 2 && block[start + 1] === DOT)) return true;
  const second = block[start + 1] ?? 0;
  // Most hidden files are told from ours by their second byte, which need not be decoded for that.
  if (second < 0x80 && (second | 0x20) !== W) return false;
  return isReservedName(block.toString('utf8', start, end));
}
const W = 0x77;

/** The name as text; `undefined` when it is not UTF-8: no id can stand for it. */
export function nameOf(block: Buffer, start: number, end: number): string | undefined {
  for (let i = start; i < end; i += 1) {
    if ((block[i] ?? 0) >= 0x80) return isUtf8(block.subarray(start, end)) ? block.toString('utf8', start, end) : undefined;
  }
  return block.toString('latin1', start, end);
}
