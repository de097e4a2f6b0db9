import type { FsResult } from '../../../core/ports/confined-fs.ts';
import { errnoName, type Libc } from '../libc.ts';
import { ok, refusedByErrno } from './refusals.ts';

/** XATTR_LIST_MAX: a list never is longer. */
const LIST_MAX = 65_536;
const USUAL = 1024;

/** Names of all extended attributes; an ACL shows as `system.posix_acl_access`. */
export async function readAttributeNames(libc: Libc, fd: number): Promise<FsResult<readonly string[]>> {
  for (const size of [USUAL, LIST_MAX]) {
    const list = Buffer.alloc(size);
    const length = await libc.flistxattr(fd, list);
    if (length >= 0) return ok(splitNames(list.subarray(0, length)));
    if (errnoName(length) !== 'ERANGE') return refusedByErrno(errnoName(length));
  }
  return refusedByErrno('ERANGE');
}

/** Each name ends in NUL. */
function splitNames(list: Buffer): string[] {
  return list.toString('utf8').split('\0').slice(0, -1);
}
