import { ERRORS, isWritError } from './errors.ts';

/** Faults of the host, by the code that Node.js gives them. */
const OF_THE_HOST: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/**
 * Whether an error says that something which every task needs cannot be used now: Redis, a disk, the kernel, the revocation
 * log. It says nothing about the task at hand, so it may not be counted against it.
 */
export function isOutage(error: unknown): boolean {
  if (isWritError(error)) return ERRORS[error.code].http === 503 || error.code === 'REDIS_FULL';
  return error instanceof Error && 'code' in error && OF_THE_HOST.has(error.code);
}
