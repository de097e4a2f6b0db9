import type { TaskSignals } from '../../src/core/ports/index.ts';

/** How long a walk keeps its slot for a step, milliseconds. */
export const RESIDENT_MS = 250;

/** Walks of one plan worker that keep their slots while a step runs (docs/plan-protocol.md 1). */
export interface Residents {
  /** Waits for a step that runs here; `undefined` when that takes too long, or the worker is stopping: then the plan is parked. */
  within<T>(ended: Promise<T>): Promise<T | undefined>;
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
  /** Slots of the plan worker; at most half of them wait for steps that run elsewhere. */
  readonly slots: number;
}

export function createResidents({ onRecorded, slots }: ResidentsOptions): Residents {
  const places = Math.max(1, Math.floor(slots / 2));
  let waiting = 0;
  let stopping = false;
  /** Of all who wait. */
  const giveUps = new Set<() => void>();

  /** Calls back once: after a while, when the worker stops, or when one of the signals says so. Answers how to call it off. */
  function inTheEnd(signals: readonly AbortSignal[], giveUp: () => void): () => void {
    const timer = setTimeout(giveUp, RESIDENT_MS);
    giveUps.add(giveUp);
    for (const signal of signals) signal.addEventListener('abort', giveUp, { once: true });
    return () => {
      clearTimeout(timer);
      giveUps.delete(giveUp);
      for (const signal of signals) signal.removeEventListener('abort', giveUp);
    };
  }

  async function hear(taskId: string, look: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    let tell: (heard: boolean) => void = () => undefined;
    const told = new Promise<boolean>((resolve) => {
      tell = resolve;
    });
    const callOff = inTheEnd([signal], () => tell(false));
    let unlisten: (() => Promise<void>) | undefined;
    try {
      unlisten = await onRecorded(taskId, () => tell(true));
      return (await look()) || (await told);
    } catch {
      return false;
    } finally {
      callOff();
      unlisten?.().catch(() => undefined);
    }
  }

  return {
    async within(ended) {
      if (stopping) return undefined;
      let tell: (late: undefined) => void = () => undefined;
      const late = new Promise<undefined>((resolve) => {
        tell = resolve;
      });
      const callOff = inTheEnd([], () => tell(undefined));
      try {
        return await Promise.race([ended, late]);
      } finally {
        callOff();
      }
    },
    async hear(taskId, look, signal) {
      if (waiting >= places || stopping || signal.aborted) return false;
      waiting += 1;
      try {
        return await hear(taskId, look, signal);
      } finally {
        waiting -= 1;
      }
    },
    get stopping() {
      return stopping;
    },
    start() {
      stopping = false;
    },
    stop() {
      stopping = true;
      for (const giveUp of [...giveUps]) giveUp();
    },
  };
}
