import { read } from 'node:fs';
import { promisify } from 'node:util';
import type { FileBytes } from '../../core/ports/dataset-source.ts';
import { openRegularFile } from './regular-file.ts';

const readAt = promisify(read);
const CHUNK = 1024 * 1024;

/** Files of this host as bytes, through one buffer. */
export function createFileBytes(): FileBytes {
  return {
    async open(path) {
      const file = await openRegularFile(path);
      if (!file.ok) return file;
      return { ok: true, chunks: () => chunksOf(file.fd), close: file.close };
    },
  };
}

async function* chunksOf(fd: number): AsyncIterable<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK);
  let position = 0;
  for (;;) {
    const { bytesRead } = await readAt(fd, buffer, 0, CHUNK, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}
