import type { TaskGateway } from '../../../core/ports/task-gateway.ts';
import { readTaskStatus, type TaskStatus } from './task-status.ts';

/** How often a waiter looks by itself: messages about outcomes may be lost. */
const POLL_MS = 1_000;
/** An outcome is recorded a moment before its job is settled; so soon the waiter looks again. */
const SETTLE_MS = 20;

export interface WaitOptions {
  /** Milliseconds; the last status is answered then. */
  readonly timeoutMs: number;
  /** Ends the wait early. */
  readonly signal: AbortSignal;
}

/** Waits until the task has a last outcome; answers where it stands then, or at the end of the time. */
export async function waitForOutcome(taskId: string, door: TaskGateway, { timeoutMs, signal }: WaitOptions): Promise<TaskStatus> {
  const now = await readTaskStatus(taskId, door);
  if (isLast(now) || signal.aborted || timeoutMs <= 0) return now;
  let wake = (): void => {};
  let recorded = false;
  const stop = await door.signals.onRecorded(taskId, () => {
    recorded = true;
    wake();
  });
  const deadline = performance.now() + timeoutMs;
  let settling = SETTLE_MS;
  try {
    for (;;) {
      const status = await readTaskStatus(taskId, door);
      const left = deadline - performance.now();
      if (isLast(status) || signal.aborted || left <= 0) return status;
      settling = Math.min(POLL_MS, settling * 2);
      const pause = Math.min(left, recorded ? settling : POLL_MS);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, pause);
        function done(): void {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          resolve();
        }
        signal.addEventListener('abort', done, { once: true });
        wake = () => {
          wake = () => {};
          settling = SETTLE_MS;
          done();
        };
      });
    }
  } finally {
    await stop();
  }
}

/** Whether nothing more will come unless somebody pushes or retries. */
export function isLast({ state }: TaskStatus): boolean {
  return state === 'finished' || state === 'malformed' || state === 'unknown';
}
