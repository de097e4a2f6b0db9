import { type FileHandle, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { waitForFileLock } from '../adapters/files/file-lock.ts';
import type { Link } from '../core/audit-chain.ts';
import { isWritError } from '../core/errors.ts';
import { isStill, openToRead } from './audit-file.ts';
import { readHead } from './audit-head.ts';

/** A file of the log that is never written again. */
export interface ClosedFile {
  readonly file: string;
  /** Number of its last record, by its name. */
  readonly last: number;
}

const DIGITS = 12;

/** The name of a log that was closed with this record. The digits are as many for each, so that names sort as records do. */
export function closedFileOf(file: string, last: number): string {
  return `${file}.${String(last).padStart(DIGITS, '0')}`;
}

/** All files of a log but the one that is written, oldest first, as their names say. */
export async function closedFiles(file: string): Promise<readonly ClosedFile[]> {
  const prefix = `${path.basename(file)}.`;
  const names = await readdir(path.dirname(file)).catch(() => []);
  const numbers = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const last = numbers.filter((digits) => digits.length === DIGITS && /^\d+$/.test(digits)).map(Number);
  return last.sort((one, other) => one - other).map((n) => ({ file: closedFileOf(file, n), last: n }));
}

/** Names of closed files that lead to the open one: what a crash in the midst of a rotation leaves. */
export async function secondNames(file: string, handle: FileHandle): Promise<readonly ClosedFile[]> {
  const { nlink, ino, dev } = await handle.stat();
  if (nlink < 2) return [];
  const closed = await closedFiles(file);
  const isSame = await Promise.all(closed.map(async (one) => stat(one.file).then((found) => found.ino === ino && found.dev === dev)));
  return closed.filter((_, at) => isSame[at]);
}

/** A log between two writes. */
export interface Snapshot extends AsyncDisposable {
  readonly closed: readonly ClosedFile[];
  /** The file that is written, and how long it was; it stays the same file, whatever its name is by now. */
  readonly open: FileHandle | undefined;
  readonly size: number;
  /** A damaged head as its message. */
  readonly head: Link | string | undefined;
}

/** Looks at all files at one moment; reading them may take long, and holds nobody up. */
export async function snapshot(file: string): Promise<Snapshot> {
  for (;;) {
    // A handle of its own: the lock goes with it.
    const locked = await openToRead(file);
    let open: FileHandle | undefined;
    try {
      if (locked) await waitForFileLock(locked.fd, file);
      // Nobody can close the file now; whether it was closed while we waited, its name tells.
      if (locked && !(await isStill(file, locked))) continue;
      open = locked && (await openToRead(file));
      const seconds = new Set(locked === undefined ? [] : (await secondNames(file, locked)).map((one) => one.file));
      return {
        closed: (await closedFiles(file)).filter((one) => !seconds.has(one.file)),
        open,
        size: locked ? (await locked.stat()).size : 0,
        head: await readHead(file).catch(messageIfDamaged),
        async [Symbol.asyncDispose]() {
          await open?.close();
        },
      };
    } catch (error) {
      await open?.close();
      throw error;
    } finally {
      await locked?.close();
    }
  }
}

function messageIfDamaged(error: unknown): string {
  if (isWritError(error)) return error.message;
  throw error;
}
