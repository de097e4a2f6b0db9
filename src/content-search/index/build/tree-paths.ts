import { isAscii } from 'node:buffer';
import { compareForOrder } from '../../order-key.ts';
import type { Candidate } from '../../types.ts';

/** The bytes of a file's path relative to the root. */
export const bytesOf = ({ text, raw }: Candidate): Buffer => raw ?? Buffer.from(text, 'utf8');

/** The path of a file for the file system. */
export function absolutePath(root: string, { text, raw }: Candidate): Buffer | string {
  const prefix = root.endsWith('/') ? root : `${root}/`;
  return raw === undefined ? prefix + text : Buffer.concat([Buffer.from(prefix), raw]);
}

/** `compareForOrder` of two paths, for the many that are ASCII: those are their own keys. */
export function comparePaths(a: Uint8Array, b: Uint8Array): number {
  const order = Buffer.compare(a, b);
  return order === 0 || (isAscii(a) && isAscii(b)) ? order : compareForOrder(bufferOf(a), bufferOf(b));
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
