import { close, constants, fstat, open } from 'node:fs';
import { promisify } from 'node:util';
import type { DatasetRefusal } from '../../core/ports/dataset-source.ts';

const openFile = promisify(open);
const statFile = promisify(fstat);
const closeFile = promisify(close);

export interface RegularFile {
  readonly ok: true;
  readonly fd: number;
  close(): Promise<void>;
}

/** O_NONBLOCK: opening a FIFO must not wait for its writer. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** What an errno of `open` means to the person who reads the answer. Anything else: the file cannot be opened. */
const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  ENOTDIR: 'the file does not exist',
  EACCES: 'the file may not be read by this account',
  EPERM: 'the file may not be read by this account',
  ELOOP: 'the file is a symbolic link',
};

/** Opens the file of a data set: a regular one, and no symbolic link. Refuses with SCOPE_UNAVAILABLE. */
export async function openRegularFile(path: string): Promise<RegularFile | DatasetRefusal> {
  let fd: number;
  try {
    fd = await openFile(path, FLAGS);
  } catch (error) {
    return refusalOfOpening(error);
  }
  const isFile = await statFile(fd).then(
    (stats) => stats.isFile(),
    () => false,
  );
  if (isFile) return { ok: true, fd, close: () => closeFile(fd) };
  await closeFile(fd);
  return unavailable('the path is not a regular file');
}

/** What the error of an `open` means. */
export function refusalOfOpening(error: unknown): DatasetRefusal {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return unavailable(WHY[code] ?? `the file cannot be opened (${code})`);
}

export function unavailable(message: string): DatasetRefusal {
  return { ok: false, code: 'SCOPE_UNAVAILABLE', message };
}
