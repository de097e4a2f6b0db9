import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessIdentity } from '../../core/ports/journal.ts';
import { lockState } from './instances-lock-file.ts';
import { killExactly } from './pidfd.ts';
import { mayExist } from './proc.ts';

export interface FenceTiming {
  /** How long a killed process may take to let go of its lock, milliseconds. */
  readonly waitMs: number;
  /** Milliseconds between two looks at the lock. */
  readonly pollMs: number;
}

/**
 * Makes sure that a process can do nothing any more (docs/protocol.md 6): its lock is free, or it is killed and its
 * lock becomes free. False whenever that is not certain; then nothing was harmed but, at most, exactly that process.
 *
 * @param file its lock file
 */
export async function fence(file: string, other: ProcessIdentity, timing: FenceTiming): Promise<boolean> {
  switch (lockState(file)) {
    case 'free':
      return true;
    case 'absent':
      // A clean stop or a cleaner removed it, with the lock in hand: dead. But somebody may have deleted it under a
      // living process, which then holds a lock that nobody can see; so the process itself must be gone too.
      return !mayExist(other.pid, other.startTime);
    case 'unknown':
      return false;
    case 'held':
      return killAndWait(file, other, timing);
  }
}

async function killAndWait(file: string, other: ProcessIdentity, timing: FenceTiming): Promise<boolean> {
  // Another registry of this very process, or, across pid namespaces, a stranger with our pid.
  if (other.pid === process.pid) return false;
  // `gone` and `other`: whoever holds the lock now may be a process that just looks at it, as we do. It is waited for.
  if (killExactly(other.pid, other.startTime) === 'refused') return false;
  const end = performance.now() + timing.waitMs;
  while (performance.now() < end) {
    const state = lockState(file);
    if (state === 'free') return true;
    if (state === 'absent') return !mayExist(other.pid, other.startTime);
    await delay(timing.pollMs);
  }
  return false;
}
