import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { replaceFileDurably } from '../../../adapters/files/replace-file.ts';
import { messageOf } from '../../../core/errors.ts';
import { MAX_AMVI_BYTES } from './amvi-layout.ts';
import { type Expected, readAmvi, type Vectors } from './amvi-read.ts';
import { amviBytes } from './amvi-write.ts';

/** The vectors of a file, or what keeps it from being read. */
export function readVectorFile(file: string, expected: Expected): Vectors | { readonly refused: string } {
  try {
    const bytes = readBounded(file);
    return bytes === undefined ? { refused: 'it is too large' } : readAmvi(bytes, expected);
  } catch (error) {
    return { refused: messageOf(error) };
  }
}

/** Whoever reads the file, now or after a crash, finds the old vectors or these. */
export async function writeVectorFile(file: string, vectors: Vectors, about: Expected): Promise<void> {
  await replaceFileDurably(file, amviBytes(vectors, about));
}

function readBounded(file: string): Buffer | undefined {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    if (size > MAX_AMVI_BYTES) return undefined;
    const bytes = Buffer.alloc(size);
    let at = 0;
    while (at < size) {
      const read = readSync(descriptor, bytes, at, Math.min(size - at, 2 ** 30), at);
      // It became shorter: the digest will not fit.
      if (read === 0) break;
      at += read;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}
