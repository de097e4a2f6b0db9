import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { waitForFileLock } from '../adapters/files/file-lock.ts';
import { messageOf, WritError } from '../core/errors.ts';

const APPEND = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW;

/**
 * Opens a log for appending (0600, made when it is missing), alone among all processes until the handle is closed.
 *
 * @returns the handle; its lock goes with it
 * @throws WritError STORAGE_UNAVAILABLE
 */
export async function openToAppend(file: string): Promise<FileHandle> {
  for (;;) {
    const handle = await open(file, APPEND, 0o600);
    try {
      await waitForFileLock(handle.fd, file);
      // Somebody may have moved the file away while we waited: what we hold then is no longer the log.
      if (await isStill(file, handle)) return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
  }
}

/** Opens a log for reading; `undefined` when there is none. */
export async function openToRead(file: string): Promise<FileHandle | undefined> {
  return open(file, READ).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw unavailable(file, error);
  });
}

/** Whatever went wrong with the log, as the error that every caller knows. */
export function unavailable(file: string, error: unknown): WritError {
  if (error instanceof WritError) return error;
  return new WritError('STORAGE_UNAVAILABLE', `the audit log ${file} cannot be used: ${messageOf(error)}`, { cause: error });
}

/** Whether a name still leads to this file. */
export async function isStill(file: string, handle: FileHandle): Promise<boolean> {
  const [named, held] = await Promise.all([stat(file).catch(() => undefined), handle.stat()]);
  return named?.ino === held.ino && named.dev === held.dev;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
