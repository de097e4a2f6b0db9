import type { FsRefusal, FsResult } from '../../../core/ports/confined-fs.ts';
import { errnoName } from '../libc.ts';

/** What a call was doing, where that changes the meaning of an errno. */
export type CallKind = 'resolve' | 'rename' | 'other';

type Refused = Extract<FsResult<never>, { ok: false }>;

const BY_ERRNO: Readonly<Record<string, FsRefusal>> = {
  ENOENT: 'missing',
  EEXIST: 'exists',
  ENOTEMPTY: 'exists',
  ENOTDIR: 'not-a-directory',
  EISDIR: 'not-a-file',
  ELOOP: 'symlink',
  EXDEV: 'cross-device',
  // A name that something is mounted on can neither be renamed nor unlinked.
  EBUSY: 'mount',
  ENOSPC: 'no-space',
  EDQUOT: 'no-space',
  EACCES: 'permission',
  EPERM: 'permission',
  ENAMETOOLONG: 'name-too-long',
  EROFS: 'read-only',
  ENOSYS: 'unsupported',
  ENOTSUP: 'unsupported',
  EOPNOTSUPP: 'unsupported',
};

const EXCEPTIONS: Readonly<Record<CallKind, Readonly<Record<string, FsRefusal>>>> = {
  // openat2 answers EXDEV for a path that leaves the base and for a mount point. Our segments hold neither `..` nor
  // `/` and no symbolic link is followed, so only the mount point remains.
  resolve: { EXDEV: 'mount' },
  // A file system without RENAME_NOREPLACE answers EINVAL.
  rename: { EINVAL: 'unsupported' },
  other: {},
};

export function ok<T>(value: T): FsResult<T> {
  return { ok: true, value };
}

export const DONE: FsResult<void> = { ok: true, value: undefined };

/** A refusal of our own, or of the kernel under its symbolic name. */
export function refused(refusal: FsRefusal, errno: string): Refused {
  return { ok: false, refusal, errno };
}

/** A refusal by its errno: the one place where numbers become words. */
export function refusedByErrno(errno: string, doing: CallKind = 'other'): Refused {
  return refused(EXCEPTIONS[doing][errno] ?? BY_ERRNO[errno] ?? 'io', errno);
}

/** The result of a call of `Libc`, `-errno` below zero. */
export function fromCall(result: number, doing: CallKind = 'other'): FsResult<number> {
  return result < 0 ? refusedByErrno(errnoName(result), doing) : ok(result);
}

/** As `fromCall`, for calls whose success says nothing. */
export function doneOr(result: number, doing: CallKind = 'other'): FsResult<void> {
  return result < 0 ? refusedByErrno(errnoName(result), doing) : DONE;
}
