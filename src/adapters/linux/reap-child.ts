import { setTimeout as pause } from 'node:timers/promises';
import koffi from 'koffi';

const WNOHANG = 1;
const PAUSE_MS = 20;
const MAX_LOOKS = 250;

/**
 * Takes the end of a child that was started by a thread which has ended (waitpid(2)): the kernel ends such a child with its
 * thread, and the event loop that would have taken its end is gone. Without this it stays as a zombie until we end.
 *
 * @param pid its id; 0: there is none
 *
 * Resolves when it is gone, or was never ours, or after some seconds: a child may hang in the kernel.
 */
export async function reapChild(pid: number): Promise<void> {
  if (pid <= 0 || process.platform !== 'linux') return;
  const waitpid = koffi.load(null).func('int waitpid(int pid, void *status, int options)');
  for (let looks = 0; looks < MAX_LOOKS && waitpid(pid, null, WNOHANG) === 0; looks += 1) await pause(PAUSE_MS, undefined, { ref: false });
}
