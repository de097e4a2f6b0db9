import type { TaskSignals } from '../../src/core/ports/index.ts';

/** How long a walk keeps its slot for a step that runs elsewhere, milliseconds. */
export const RESIDENT_MS = 250;

/** Walks of one plan worker that keep their slots while a step runs elsewhere (docs/plan-protocol.md 1). */
export interface Residents {
  /**
   * Waits until the task's outcome is recorded. False when nobody has told within `RESIDENT_MS`, when too many wait already, when the worker
   * is stopping or `signal` says so: then the plan is parked. Never rejects.
   *
   * @param look whether it was recorded before anybody listened
   */
  hear(taskId: string, look: () => Promise<boolean>, signal: AbortSignal): Promise<boolean>;
  /** The worker is stopping: nobody waits any more, and no walk goes on. */
  readonly stopping: boolean;
  start(): void;
  stop(): void;
}

export interface ResidentsOptions {
  readonly onRecorded: TaskSignals['onRecorded'];
  /** Slots of the plan worker; at most half of them wait. */
  readonly slots: number;
}

export function createResidents({ onRecorded, slots }: ResidentsOptions): Residents {
  const places = Math.max(1, Math.floor(slots / 2));
  let waiting = 0;
  let stopped = new AbortController();

  async function hear(taskId: string, look: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    let tell: (heard: boolean) => void = () => undefined;
    const told = new Promise<boolean>((resolve) => {
      tell = resolve;
    });
    const giveUp = (): void => tell(false);
    const timer = setTimeout(giveUp, RESIDENT_MS);
    for (const one of [signal, stopped.signal]) one.addEventListener('abort', giveUp, { once: true });
    let leave: (() => Promise<void>) | undefined;
    try {
      leave = await onRecorded(taskId, () => tell(true));
      return (await look()) || (await told);
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
      for (const one of [signal, stopped.signal]) one.removeEventListener('abort', giveUp);
      leave?.().catch(() => undefined);
    }
  }

  return {
    async hear(taskId, look, signal) {
      if (waiting >= places || stopped.signal.aborted || signal.aborted) return false;
      waiting += 1;
      try {
        return await hear(taskId, look, signal);
      } finally {
        waiting -= 1;
      }
    },
    get stopping() {
      return stopped.signal.aborted;
    },
    start() {
      stopped = new AbortController();
    },
    stop() {
      stopped.abort();
    },
  };
}
