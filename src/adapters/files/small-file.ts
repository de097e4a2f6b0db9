import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { failed, ok, type Result } from '../../core/result.ts';

/** The text of a small regular file, or the end of a sentence that says why not. Never blocks on a FIFO. */
export async function readSmallFile(path: string, maxBytes: number, secret: boolean): Promise<Result<string, string>> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const stats = await file.stat();
    if (!stats.isFile()) return failed('is no regular file');
    if (secret && (stats.mode & 0o077) !== 0) return failed('can be read or written by others than its owner: chmod 600 it');
    if (stats.size > maxBytes) return failed(`is larger than ${maxBytes} bytes`);
    return ok(await file.readFile('utf8'));
  } catch (error) {
    return failed(`cannot be read (${codeOf(error)})`);
  }
}

/** The code of an error, for a sentence: a short word or nothing that an outsider chose. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^\w{1,60}$/.test(code) ? code : 'no code';
}
