import { closeSync } from 'node:fs';
import { constants as os } from 'node:os';
import { processLibc } from './libc-process.ts';
import { startTimeOf } from './proc.ts';

/**
 * `killed`: SIGKILL was sent to exactly that process. `gone`: no process has the pid. `other`: another process has it.
 * `refused`: the kernel does not let us (foreign user, no pidfds).
 */
export type KillResult = 'killed' | 'gone' | 'other' | 'refused';

/**
 * Kills the process with this pid and start time, and never another one: a pidfd holds on to the process that had the
 * pid when it was opened, so a start time read *afterwards* either belongs to that process, or shows that the process
 * is not the one that is meant. Signalling by pid could hit whoever got the pid in between.
 */
export function killExactly(pid: number, startTime: string): KillResult {
  if (!Number.isSafeInteger(pid) || pid <= 0) return 'gone';
  const pidfd = processLibc().pidfdOpen(pid);
  if (pidfd < 0) return -pidfd === os.errno.ESRCH ? 'gone' : 'refused';
  try {
    if (startTimeOf(pid) !== startTime) return 'other';
    const sent = processLibc().pidfdSendSignal(pidfd, os.signals.SIGKILL);
    if (sent >= 0) return 'killed';
    return -sent === os.errno.ESRCH ? 'gone' : 'refused';
  } finally {
    closeSync(pidfd);
  }
}
