import { messageOf, WritError } from './errors.ts';

/** What a file system says of a path at which nothing stands. Every other error says that nobody knows: it is never taken for absence. */
const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

/** Not allowed, to this account. */
const BARRED: ReadonlySet<unknown> = new Set(['EACCES', 'EPERM']);

/** Whether an error of the file system says that nothing stands at its path. */
export function saysAbsent(error: unknown): boolean {
  return ABSENT.has(codeOf(error));
}

/**
 * The refusal of whoever asks for something that may be there and cannot be looked at.
 *
 * @param place the directory that this account may not enter, or what else is at fault
 */
export function unreadable(place: string, error: unknown): WritError {
  const message = BARRED.has(codeOf(error))
    ? `this account may not read ${place} (${String(codeOf(error))}): run the command as the account that Writ runs as, or name another data directory with --data-dir`
    : `${place} cannot be read: ${messageOf(error)}`;
  return new WritError('STORAGE_UNAVAILABLE', message, { cause: error });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
