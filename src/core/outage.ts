import { ERRORS, isWritError, WritError } from './errors.ts';

/** Faults of a disk, as Node.js and SQLite name them; some names of SQLite go on (`SQLITE_IOERR_WRITE`). */
const OF_A_DISK = /^(ENOSPC|EDQUOT|EIO|EROFS|SQLITE_(FULL|IOERR|READONLY|CANTOPEN))/;

const OF_A_FULL_DISK: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL']);

/** Faults of the host beside these, by the code that Node.js gives them. */
const OF_THE_HOST: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/**
 * Whether an error says that something which every task needs cannot be used now: Redis, a disk, the kernel, the revocation
 * log. It says nothing about the task at hand, so it may not be counted against it.
 */
export function isOutage(error: unknown): boolean {
  if (isWritError(error)) return ERRORS[error.code].http === 503 || error.code === 'REDIS_FULL';
  return isDiskFault(error) || OF_THE_HOST.has(codeOf(error));
}

/** A full or broken disk under any of our files, as whoever asked is to hear of it: STORAGE_UNAVAILABLE. Other errors as they are. */
export function withDiskFault(error: unknown): unknown {
  if (!isDiskFault(error)) return error;
  const isFull = OF_A_FULL_DISK.has(codeOf(error));
  return new WritError('STORAGE_UNAVAILABLE', isFull ? 'a disk of this host is full' : 'a disk of this host cannot be written or read', { cause: error });
}

function isDiskFault(error: unknown): boolean {
  return !isWritError(error) && OF_A_DISK.test(String(codeOf(error)));
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
