import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * An append-only file of tokens, one a line, that survives being torn anywhere: every write begins with a line feed, so
 * a half line of an earlier crash never joins the next token, and nothing is ever cut off, so that several processes of
 * one host may append. Readers skip what is no token.
 */
export interface TokenFile {
  /** All lines; `torn` tells that the last one has no end. */
  read(): Promise<{ readonly lines: readonly string[]; readonly torn: boolean }>;
  /** Durable when it resolves. */
  append(tokens: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Opens or creates the file, 0600. */
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

/** A new name in a directory is durable only after the directory is. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
