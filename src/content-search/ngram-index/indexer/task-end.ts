import type { BuildOutcome } from '../../../core/ports/index.ts';

/** What came of a task, for status and logs. */
export interface TaskEnd {
  readonly outcome: BuildOutcome['outcome'] | 'skipped';
  readonly detail: string;
}

export function skipped(detail: string): TaskEnd {
  return { outcome: 'skipped', detail };
}

export function ended(end: BuildOutcome): TaskEnd {
  if ('message' in end) return { outcome: end.outcome, detail: end.message };
  return { outcome: end.outcome, detail: end.outcome === 'over-budget' ? `the limit of ${end.why} was reached` : end.outcome };
}
