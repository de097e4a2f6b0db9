import type { IndexTaskKind } from '../../../contracts/index.ts';
import type { BuildJob, BuildOutcome } from '../../../core/ports/index.ts';
import type { HostRecord } from './record.ts';
import type { Retries } from './retries.ts';
import type { HostDeps, HostMemory } from './types.ts';

/** What the tasks of one index share. */
export interface TaskContext {
  readonly deps: HostDeps;
  readonly memory: HostMemory;
  readonly record: HostRecord;
  readonly retries: Retries;
  /** Somebody asked for it, and did not only follow from something. */
  readonly isAsked: boolean;
  /** Runs a job in the build thread, with progress into the status. */
  readonly run: (job: BuildJob) => Promise<BuildOutcome>;
  /** Arms the watches anew if they do not cover the tree. */
  readonly ensureWatched: () => Promise<void>;
  readonly submit: (kind: IndexTaskKind, reason: string) => void;
}
