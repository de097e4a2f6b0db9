import { WritError } from '../../core/errors.ts';
import type { Execution } from '../../core/outcome.ts';
import type { Task } from '../../core/ports/index.ts';

/** The end of one run. `opened`: its attempt is open in the journal and waits for the signed result. */
export interface RunEnd {
  readonly execution: Execution;
  readonly opened?: OpenedAttempt;
}

export interface OpenedAttempt {
  readonly n: number;
  /** Whether its request was sent. */
  readonly sent: boolean;
}

/** An outcome whose attempt is still open. */
interface Unconcluded extends OpenedAttempt {
  readonly execution: Extract<Execution, { kind: 'outcome' }>;
  /** The journal's close, once it was asked for: two deliveries of one outcome close once. */
  closing: Promise<void> | undefined;
}

interface Run {
  readonly manifestSha256: string;
  /** Claims that were given this run's outcome. */
  readonly epochs: Set<number>;
  /** Undefined while the call is on its way. */
  unconcluded: Unconcluded | undefined;
}

/**
 * The calls of this process. While one is on its way the task is busy; between its outcome and the journal's close every
 * further delivery gets that same outcome, so an answer that was received is not called unknown.
 */
export interface Runs {
  once(task: Task, body: () => Promise<RunEnd>): Promise<Execution>;
  /** The open attempt that this claim's outcome ends; undefined for an outcome that opened none. */
  unconcluded(task: Task, status: 'SUCCESS' | 'FAILURE'): Unconcluded | undefined;
  concluded(task: Task): void;
}

const BUSY: Execution = { kind: 'busy', why: 'this process already works on the task' };

export function createRuns(): Runs {
  const runs = new Map<string, Run>();

  return {
    async once(task, body) {
      const { task_id: taskId } = task.manifest;
      const known = runs.get(taskId);
      if (known) {
        if (known.unconcluded === undefined || known.manifestSha256 !== task.manifestSha256) return BUSY;
        known.epochs.add(task.epoch);
        return known.unconcluded.execution;
      }
      const run: Run = { manifestSha256: task.manifestSha256, epochs: new Set([task.epoch]), unconcluded: undefined };
      runs.set(taskId, run);
      try {
        const { execution, opened } = await body();
        if (opened && execution.kind === 'outcome') run.unconcluded = { ...opened, execution, closing: undefined };
        return execution;
      } finally {
        // Without an outcome nothing is kept: an attempt that is open then is of unknown end.
        if (run.unconcluded === undefined) runs.delete(taskId);
      }
    },

    unconcluded(task, status) {
      const run = runs.get(task.manifest.task_id);
      if (!run?.unconcluded || !run.epochs.has(task.epoch)) return undefined;
      if (run.unconcluded.execution.outcome.status !== status)
        throw new WritError('INTERNAL', `task ${task.manifest.task_id} ended differently than it is recorded`);
      return run.unconcluded;
    },

    concluded: (task) => void runs.delete(task.manifest.task_id),
  };
}
