import { readdirSync, readFileSync } from 'node:fs';

/**
 * Does something while another process stands still. The system says that a process was sent SIGSTOP before its threads have
 * stopped: one of them has to come to a processor first, and on a busy machine the others go on for 30 ms. So each is looked at.
 */
export function whileStopped(pid: number, work: () => void): void {
  process.kill(pid, 'SIGSTOP');
  try {
    while (!isStopped(pid));
    work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => stateOf(`/proc/${pid}/task/${thread}/stat`) === 'T');
}

/** The letter behind the name, which may have anything in it. */
function stateOf(file: string): string | undefined {
  const stat = readFileSync(file, 'latin1');
  return stat[stat.lastIndexOf(') ') + 2];
}
