import type { TaskEvent, TaskFilter, TaskPage } from '../../contracts/index.ts';

export interface TaskIndexHealth {
  /** `building`: rows may be missing until the first pass over queues and ledger has ended. */
  readonly state: 'building' | 'following' | 'failed';
  readonly tasks: number;
  /** How far the index is behind queues and ledger, milliseconds: 0 right after a look that found nothing new. */
  readonly lagMs: number;
  readonly problem?: string;
}

/** Changes of tasks, from a place on. */
export interface TaskEvents extends AsyncIterable<TaskEvent> {
  /** Resolves when the place is known to be complete; rejects with what the first step of the iteration would throw. */
  readonly begun: Promise<void>;
}

/** Finds tasks by what they are and how they ended. A copy for looking: queues and ledger have the truth. */
export interface TaskIndex {
  /**
   * Newest change first. A page may be short, even empty, and still have a `next`: a page looks at a bounded number of rows.
   * Throws WritError INVALID_ARGUMENT for a cursor that is none.
   */
  list(filter: TaskFilter, page: { readonly cursor?: string; readonly limit: number }): Promise<TaskPage>;
  /**
   * Changes after the event with this id (from now on when `undefined`), until the signal ends it. An id that is too old
   * to be complete is answered with INVALID_ARGUMENT.
   */
  events(after: number | undefined, signal: AbortSignal): TaskEvents;
  health(): TaskIndexHealth;
}
