import { isAscii } from 'node:buffer';
import type { BytePath } from '../../../core/ports/index.ts';
import { compareForOrder, isAscii as isAsciiText, lossyText } from '../../search/order-key.ts';

/** The order of a catalog: key order, ties by bytes (`compareForOrder`). ASCII is its own key, and nearly every path is ASCII. */
export function comparePaths(a: Uint8Array, b: Uint8Array): number {
  return isAscii(a) && isAscii(b) ? Buffer.compare(a, b) : compareForOrder(viewOf(a), viewOf(b));
}

/** The same order. JavaScript compares ASCII texts as their bytes are compared. */
export function compareBytePaths(a: BytePath, b: BytePath): number {
  if (!isAsciiText(a) || !isAsciiText(b)) return compareForOrder(pathBytes(a), pathBytes(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The bytes that a path has in the file system. */
export const pathBytes = (path: BytePath): Buffer => Buffer.from(path, 'latin1');

/** A path with one character for each byte; text counts as UTF-8. */
export const bytePath = (path: Buffer | string): BytePath => (typeof path === 'string' ? Buffer.from(path) : path).toString('latin1');

/** The path as rules and answers have it: bytes that are not UTF-8 are U+FFFD. */
export const pathText = (path: BytePath): string => (isAsciiText(path) ? path : lossyText(pathBytes(path)));

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
