import { WritError } from '../../core/errors.ts';
import { createKeyedMutex } from '../../core/keyed-mutex.ts';
import { lifecycle } from '../../core/lifecycle.ts';
import type { IndexTask, IndexTaskHandler, MaintenanceLane } from '../../core/ports/index.ts';

export interface MemoryLaneOptions {
  /** Makes the id of a job. */
  readonly newId: () => string;
  /** Told of each task that failed. */
  readonly onFailed?: (task: IndexTask, job: string, error: unknown) => void;
}

interface Waiting {
  readonly task: IndexTask;
  readonly job: string;
}

/**
 * The lane inside of one process, where there is no Redis. What waits is gone with the process or with a stop: the pass that
 * a host makes at its start covers it.
 */
export function createMemoryLane({ newId, onFailed = () => undefined }: MemoryLaneOptions): MaintenanceLane {
  /** By root and kind, in the order in which they came; out of it when they begin. */
  const waiting = new Map<string, Waiting>();
  const running = new Set<Promise<void>>();
  const turns = createKeyedMutex();
  let handler: IndexTaskHandler | undefined;
  let stop = new AbortController();
  let state: 'new' | 'running' | 'stopped' = 'new';

  const begin = (lane: string, { task, job }: Waiting, handle: IndexTaskHandler, signal: AbortSignal): void => {
    const run = turns(task.keyHash, async () => {
      if (signal.aborted) return;
      waiting.delete(lane);
      // Nobody looks at a job here.
      await handle(task, job, signal, () => undefined);
    })
      // An end that the stop brought about is no failure.
      .catch((error: unknown) => void (signal.aborted || onFailed(task, job, error)))
      .finally(() => running.delete(run));
    running.add(run);
  };

  const life = lifecycle(
    () => {
      stop = new AbortController();
      state = 'running';
      if (handler === undefined) return;
      for (const [lane, one] of waiting) begin(lane, one, handler, stop.signal);
    },
    async () => {
      state = 'stopped';
      stop.abort('shutdown');
      waiting.clear();
      await Promise.all(running);
    },
  );

  return {
    ...life,
    process(handle) {
      handler = handle;
    },
    async submit(task) {
      if (state === 'stopped') throw new WritError('WRONG_STATE', 'the index host ends');
      const lane = `${task.keyHash} ${task.kind}`;
      const same = waiting.get(lane);
      if (same !== undefined) return { job: same.job, joined: true };
      const one = { task, job: newId() };
      waiting.set(lane, one);
      if (state === 'running' && handler !== undefined) begin(lane, one, handler, stop.signal);
      return { job: one.job, joined: false };
    },
  };
}
