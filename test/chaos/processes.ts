import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** State letter and start time of a process; `undefined` when it is gone or dead but not yet reaped. */
export function processState(pid: number): { readonly state: string; readonly startTime: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state = ''] = fields;
    return state === 'Z' || state === 'X' ? undefined : { state, startTime: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

/** Sends a signal; false when there is no such process any more. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

const POLL_MS = 5;

/** Waits until a condition holds; false at the deadline. */
export async function until(holds: () => boolean, timeoutMs: number): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (!holds()) {
    if (performance.now() > end) return false;
    await delay(POLL_MS);
  }
  return true;
}
