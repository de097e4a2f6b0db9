import { setMaxListeners } from 'node:events';
import type { TaskGateway } from '../../../core/ports/task-gateway.ts';
import type { TaskStatus } from '../../shared/tasks/task-status.ts';
import { waitForOutcome } from '../../shared/tasks/wait.ts';

/** Waits for outcomes on behalf of a push. */
export interface Follower {
  wait(taskId: string): Promise<TaskStatus>;
  /** Something was pushed or ended: the time without news begins again. */
  news(): void;
  /** Ends every wait; waits that begin later end at once. */
  stop(): void;
}

/**
 * Gives up when nothing was pushed and no outcome came for `quietMs`: a long run of many tasks is no reason to stop
 * waiting, a queue that nobody serves is.
 */
export function createFollower(door: TaskGateway, quietMs: number, signal: AbortSignal): Follower {
  const quiet = new AbortController();
  const ended = AbortSignal.any([quiet.signal, signal]);
  // Every open task listens; Node would take more than ten for a leak.
  setMaxListeners(0, ended);
  const watchdog = setTimeout(() => quiet.abort(), quietMs);
  return {
    async wait(taskId) {
      // A timer takes at most 2^31 - 1 ms; the watchdog is the clock that counts here.
      const status = await waitForOutcome(taskId, door, { timeoutMs: 2 ** 31 - 1, signal: ended });
      if (!ended.aborted) watchdog.refresh();
      return status;
    },
    news() {
      if (!ended.aborted) watchdog.refresh();
    },
    stop() {
      clearTimeout(watchdog);
      quiet.abort();
    },
  };
}
