import type { ShownState } from '../../contracts/index.ts';
import type { TaskIndex, TaskIndexHealth } from './task-index.ts';

/** One job of a queue as the index keeps it. Two jobs that carry the same task are two rows. Times in milliseconds since 1970. */
export interface IndexedTask {
  readonly queue: string;
  readonly jobId: string;
  readonly taskId: string;
  readonly capabilityId: string;
  readonly state: ShownState;
  readonly errorCode: string | undefined;
  readonly message: string | undefined;
  readonly sourcePath: string | undefined;
  readonly destinationPath: string | undefined;
  readonly plan: string | undefined;
  readonly attempts: number;
  readonly submittedAt: number;
  readonly updatedAt: number;
  readonly leaseExpiresAt: number | undefined;
  /** Redis' time of the look: an older look never overwrites a newer one. */
  readonly seenAt: number;
}

export interface JobRef {
  readonly queue: string;
  readonly jobId: string;
}

export type IndexChange =
  /** It is so. `event`: something happened at `updatedAt`; `look`: it was found so, and only a difference counts as a change. */
  | { readonly kind: 'event' | 'look'; readonly task: IndexedTask }
  /** Neither queue nor ledger know it any more. */
  | ({ readonly kind: 'gone'; readonly seenAt: number } & JobRef);

export interface IndexBatch {
  /** The index that the batch is meant for, from `begin`. */
  readonly generation: string;
  readonly changes: readonly IndexChange[];
  /** How far the sources were read; stored together with the changes or not at all. */
  readonly positions?: Readonly<Record<string, string>>;
  /** A first fill: no events. */
  readonly quiet?: boolean;
}

/** A row with its number, for walks over everything. */
export interface NumberedTask {
  readonly n: number;
  readonly task: IndexedTask;
}

/** The task index with its writing side. */
export interface TaskIndexStore extends TaskIndex, TaskIndexWriter {}

/** The writing side of the task index, for whoever feeds it. Throws WritError STORAGE_UNAVAILABLE. */
export interface TaskIndexWriter {
  /** What the index knows about its own past. No positions: it is new, or was lost. */
  begin(): Promise<{ readonly generation: string; readonly positions: Readonly<Record<string, string>> }>;
  /** At most 500 changes, in one transaction. `lost`: this generation is gone, nothing was written. */
  apply(batch: IndexBatch): Promise<'applied' | 'lost'>;
  /** The rows of these jobs, in their order. */
  rows(jobs: readonly JobRef[]): Promise<readonly (IndexedTask | undefined)[]>;
  /** Those of the task ids that no row has. */
  unknown(taskIds: readonly string[]): Promise<readonly string[]>;
  /** Rows in the order of their numbers, after `after`. */
  walk(after: number, limit: number): Promise<readonly NumberedTask[]>;
  /** What `health` says from now on. */
  report(status: Omit<TaskIndexHealth, 'tasks'>): void;
}
