import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TokenFile } from '../../lease/index.ts';
import { syncDirectory } from './sync-directory.ts';

/** Opens or creates the file, 0600. Nothing of it is ever cut off, so that several processes of one host may append. */
export async function openTokenFile(path: string): Promise<TokenFile> {
  const file = await open(path, 'a+', 0o600);
  await syncDirectory(dirname(path));
  return {
    async read() {
      const text = await readAll(file);
      const lines = text.split('\n').filter((line) => line !== '');
      return { lines, torn: text !== '' && !text.endsWith('\n') };
    },
    async append(tokens) {
      await file.appendFile(tokens.map((token) => `\n${token}\n`).join(''));
      await file.sync();
    },
    close: () => file.close(),
  };
}

/** Reads by position: the handle's own place is at the end. */
async function readAll(file: FileHandle): Promise<string> {
  const { size } = await file.stat();
  const buffer = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    const { bytesRead } = await file.read(buffer, at, size - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return buffer.toString('utf8', 0, at);
}
