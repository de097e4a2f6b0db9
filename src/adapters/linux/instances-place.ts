import { readFileSync, statSync } from 'node:fs';
import { lockPath, lockState } from './instances-lock-file.ts';

/** Where a worker that others know by name holds its lock, as far as this directory tells. */
export type WorkerPlace =
  /** It holds it in this directory, or nobody can say. */
  | 'here'
  /** Its lock file is here, and free: it has ended. */
  | 'ended'
  /** It holds none here: it has ended, or works in another directory. */
  | 'not-here';

/** What tells the lock file of a worker from every other one: the start of this host, device and inode. */
export function markOfLock(directory: string, instance: string): string {
  const file = lockPath(directory, instance);
  if (file === undefined) return '';
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${startOfHost()} ${dev} ${ino}`;
  } catch {
    return '';
  }
}

/**
 * Looks for the lock of a worker in the directory of locks of ours. A process that lives holds its lock, in whatever container and below
 * whatever path it sees the directory; a copy of the directory has the file, too, but nobody's lock on it, and another mark.
 *
 * @param mark what the worker says of its file (`markOfLock`)
 */
export function placeOfWorker(directory: string, instance: string, mark: string): WorkerPlace {
  const file = lockPath(directory, instance);
  if (file === undefined) return 'here';
  switch (lockState(file)) {
    case 'free':
      return mark !== '' && markOfLock(directory, instance) === mark ? 'ended' : 'not-here';
    case 'absent':
      return 'not-here';
    case 'held':
    case 'unknown':
      return 'here';
  }
}

/** Random, drawn anew by the kernel at each start. */
function startOfHost(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}
