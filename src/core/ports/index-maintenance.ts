import type { INDEX_MODES, INDEX_REFUSALS, IndexAction, IndexActivity, IndexReceipt, IndexStatus, IndexTaskKind } from '../../contracts/index.ts';
import type { Lifecycle } from '../lifecycle.ts';

/** One piece of work on one index. Doing it twice is the same as doing it once. */
export interface IndexTask {
  /** SHA-256 of the index key, hexadecimal: the lane. */
  readonly keyHash: string;
  readonly kind: IndexTaskKind;
  /** Why, for people: `asked by key ops`, `WATCHER_OVERFLOW`. At most 200 characters. */
  readonly reason: string;
}

/**
 * What is given to the one who does the task. `signal`: the lane stops, so end soon and leave everything as a kill would.
 * `tell`: how far it is, for whoever looks at the job; as often as one likes.
 * Throwing means that the task failed: it is not tried again by the lane (FR-LSI-BG-22).
 */
export type IndexTaskHandler = (task: IndexTask, job: string, signal: AbortSignal, tell: (activity: IndexActivity) => void) => Promise<void>;

/**
 * The way of maintenance tasks to the index host (queue `index-maintenance`, or inside of one process). Tasks of one root
 * are begun in the order in which they came, one at a time; those of different roots at the same time. A task that waits
 * stands for all equal ones (same root, same kind) that are submitted meanwhile; one that has begun does not: the next
 * equal one is done after it. A task that was taken is done at least once, also after a kill -9, or else the pass that a
 * host makes at its start covers it.
 */
export interface MaintenanceLane extends Lifecycle {
  /** Throws WritError REDIS_UNAVAILABLE, REDIS_FULL; and WRONG_STATE in one process when the lane was stopped. */
  submit(task: IndexTask): Promise<IndexReceipt>;
  /** To be called once, before `start`; without it the lane only submits. */
  process(handler: IndexTaskHandler): void;
}

export type IndexRefusal = (typeof INDEX_REFUSALS)[number];
export type IndexMode = (typeof INDEX_MODES)[number];

/** An index by its root (canonical path) or by its key hash (at least the first 8 digits, if only one begins so). */
export type IndexTarget = { readonly root: string } | { readonly keyHash: string };

export type IndexRequestAnswer =
  | { readonly accepted: true; readonly receipt: IndexReceipt }
  | { readonly accepted: false; readonly why: IndexRefusal; readonly message: string };

/** What the surfaces see of the indexes of a pool. Throws WritError STORAGE_UNAVAILABLE, REDIS_UNAVAILABLE. */
export interface IndexService {
  readonly mode: IndexMode;
  /** By root. Empty when the mode is off and nothing is kept. Answers soon also when the host is away. */
  status(): Promise<readonly IndexStatus[]>;
  /** `reason`: who asked. */
  request(target: IndexTarget, action: IndexAction, reason: string): Promise<IndexRequestAnswer>;
}
