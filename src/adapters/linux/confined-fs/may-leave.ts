import { constants } from 'node:fs';
import type { FsResult } from '../../../core/ports/confined-fs.ts';
import { CAPABILITIES, effectiveCapabilities } from '../capabilities.ts';
import type { Libc } from '../libc.ts';
import { nodeCalls } from './node-calls.ts';
import { DONE, refused } from './refusals.ts';
import { statOpened } from './stats.ts';

const STICKY = 0o1000n;
const AT_EMPTY_PATH = 0x1000;
/** Offset of `stx_attributes` in `struct statx`, and bits of it. */
const ATTRIBUTES_AT = 8;
const STATX_BYTES = 256;
const IMMUTABLE = 0x10n;
const APPEND_ONLY = 0x20n;

/**
 * What the kernel asks before it takes a name out of a directory (`may_delete`): may the directory be written, does its flag or
 * the file's forbid it, and in a sticky directory whose is the file. What cannot be told counts as allowed.
 *
 * @param fd  the directory
 * @param pin the file, opened with O_PATH
 */
export async function mayLeave(libc: Libc, fd: number, pin: number): Promise<FsResult<void>> {
  // access(2) asks for the real user, every other call for the effective one.
  if (process.getuid?.() !== process.geteuid?.()) return DONE;
  const written = await nodeCalls.access(`/proc/self/fd/${fd}`, constants.W_OK | constants.X_OK);
  if (!written.ok && (written.refusal === 'permission' || written.refusal === 'read-only')) return written;
  const isKept = (attributesOf(libc, fd) & APPEND_ONLY) !== 0n || (attributesOf(libc, pin) & (APPEND_ONLY | IMMUTABLE)) !== 0n;
  return isKept || belongsToOthers(fd, pin) ? refused('permission', 'EPERM') : DONE;
}

/** 0n where kernel or file system knows no flags. */
function attributesOf(libc: Libc, fd: number): bigint {
  const answer = Buffer.alloc(STATX_BYTES);
  return libc.statxSync(fd, '', AT_EMPTY_PATH, 0, answer) < 0 ? 0n : answer.readBigUInt64LE(ATTRIBUTES_AT);
}

/** The sticky bit: only the owner of the file or of the directory takes it away. */
function belongsToOthers(fd: number, pin: number): boolean {
  const directory = statOpened(fd);
  if ((directory.mode & STICKY) === 0n) return false;
  const user = BigInt(process.geteuid?.() ?? -1);
  if (user === directory.uid || user === statOpened(pin).uid) return false;
  const effective = effectiveCapabilities();
  return effective !== undefined && (effective & CAPABILITIES.fowner) === 0n;
}
