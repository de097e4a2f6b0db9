import type { IndexTaskKind } from '../../../contracts/index.ts';
import type { BuildJob, BuildOutcome, SegmentName, SnapshotId } from '../../../core/ports/index.ts';
import type { PassKind } from './passes.ts';
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
  /** Arms the watches anew if they do not cover the tree; false: changes cannot become known, and no pass makes sense. */
  readonly ensureWatched: () => Promise<boolean>;
  /** The pass looks at the tree from here on: whatever asked for one before need not ask again. */
  readonly passBegins: (kind: PassKind) => void;
  readonly submit: (kind: IndexTaskKind, reason: string) => void;
}

/**
 * Numbers that were never used for this key, also when what named the last one is lost: a search may still have its segments
 * open. The clock only helps to skip what cannot be known.
 */
export function nextGeneration({ now }: HostDeps, { snapshot, meta }: HostMemory): number {
  return Math.max(snapshot?.generation ?? 0, Number(meta?.generation ?? 0), Math.floor(now() / 1000)) + 1;
}

export function nextDelta({ generation, deltas }: SnapshotId): SegmentName {
  return { generation, delta: (deltas.at(-1) ?? 0) + 1 };
}

export function grown({ generation, deltas }: SnapshotId, { delta }: SegmentName): SnapshotId {
  return { generation, deltas: [...deltas, delta] };
}

/** What came of a task, for status and logs. */
export interface TaskEnd {
  readonly outcome: BuildOutcome['outcome'] | 'skipped';
  readonly detail: string;
}

/** A pass for nothing: the watches are tried again after a pause. */
export function unwatched({ memory, submit }: TaskContext): TaskEnd {
  submit('reconcile', 'the watches are tried again');
  return skipped(`the tree cannot be watched: ${memory.unarmed}`);
}

export function skipped(detail: string): TaskEnd {
  return { outcome: 'skipped', detail };
}

export function ended(end: BuildOutcome): TaskEnd {
  if ('message' in end) return { outcome: end.outcome, detail: end.message };
  return { outcome: end.outcome, detail: end.outcome === 'over-budget' ? `the limit of ${end.why} was reached` : end.outcome };
}
