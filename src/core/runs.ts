import { isWritError, WritError } from './errors.ts';
import type { Execution } from './outcome.ts';
import type { Task } from './ports/index.ts';

/** The end of one run. `opened`: its attempt is open in the journal and waits for the signed result. */
export interface RunEnd<Opened> {
  readonly execution: Execution;
  readonly opened?: Opened | undefined;
}

/** An outcome whose attempt is still open, with what the executor must know of it to close it. */
export type Unconcluded<Opened> = Opened & {
  readonly execution: Extract<Execution, { kind: 'outcome' }>;
  /** The journal's close, once it was asked for: two deliveries of one outcome close once. */
  closing: Promise<void> | undefined;
};

interface Run<Opened> {
  readonly manifestSha256: string;
  /** Claims that were given this run's outcome. */
  readonly epochs: Set<number>;
  /** Undefined while effects may still happen. */
  unconcluded: Unconcluded<Opened> | undefined;
}

/**
 * The runs of one executor in this process. While one runs, the task is busy; between its outcome and the journal's close
 * every further delivery gets that same outcome. So no second run can classify, redo or call unknown what a first one is
 * about to record.
 */
export interface Runs<Opened> {
  once(task: Task, body: () => Promise<RunEnd<Opened>>): Promise<Execution>;
  /** The open attempt that this claim's outcome ends; undefined for an outcome that opened none. */
  unconcluded(task: Task, status: 'SUCCESS' | 'FAILURE'): Unconcluded<Opened> | undefined;
  /**
   * Closes the attempt of an outcome, once for all deliveries that were given it, and forgets the run. One that the journal refuses
   * as open no more (WRONG_STATE) was ended by somebody else while this process stood still: its outcome is nobody's, and is forgotten as well.
   */
  conclude(task: Task, ended: Unconcluded<Opened>, close: () => Promise<void>): Promise<void>;
  /** Resolves when no effect of this process can happen any more. */
  idle(): Promise<void>;
}

export function createRuns<Opened extends object>(): Runs<Opened> {
  const runs = new Map<string, Run<Opened>>();
  const running = new Set<Promise<unknown>>();

  async function track(run: Run<Opened>, task: Task, body: () => Promise<RunEnd<Opened>>): Promise<Execution> {
    try {
      const { execution, opened } = await body();
      if (opened && execution.kind === 'outcome') run.unconcluded = { ...opened, execution, closing: undefined };
      return execution;
    } finally {
      // Without an outcome nothing is kept: the attempt, if there is one, is judged by what its journal says.
      if (run.unconcluded === undefined) runs.delete(task.manifest.task_id);
    }
  }

  return {
    async once(task, body) {
      const known = runs.get(task.manifest.task_id);
      if (known) {
        if (known.unconcluded === undefined || known.manifestSha256 !== task.manifestSha256)
          return { kind: 'busy', why: 'this process already works on the task' };
        known.epochs.add(task.epoch);
        return known.unconcluded.execution;
      }
      const run: Run<Opened> = { manifestSha256: task.manifestSha256, epochs: new Set([task.epoch]), unconcluded: undefined };
      runs.set(task.manifest.task_id, run);
      const ending = track(run, task, body);
      const settled = ending.then(
        () => undefined,
        () => undefined,
      );
      running.add(settled);
      try {
        return await ending;
      } finally {
        running.delete(settled);
      }
    },

    unconcluded(task, status) {
      const run = runs.get(task.manifest.task_id);
      if (!run?.unconcluded || !run.epochs.has(task.epoch)) return undefined;
      if (run.unconcluded.execution.outcome.status !== status)
        throw new WritError('INTERNAL', `task ${task.manifest.task_id} ended differently than it is recorded`);
      return run.unconcluded;
    },

    async conclude(task, ended, close) {
      ended.closing ??= close().catch((error: unknown) => {
        // Nothing of a refused request stands: the next delivery may ask again.
        ended.closing = undefined;
        if (isWritError(error) && error.code === 'WRONG_STATE') runs.delete(task.manifest.task_id);
        throw error;
      });
      await ended.closing;
      runs.delete(task.manifest.task_id);
    },

    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
