import { NO_INDEX, transition } from '../../../../../src/content-search/ngram-index/safety/transition.ts';
import type { Trigger } from '../../../../../src/content-search/ngram-index/safety/triggers.ts';
import { TRIGGER_CLASSES, type TriggerKind } from '../../../../../src/content-search/ngram-index/safety/triggers.ts';
import type { IndexSafety, IndexState } from '../../../../../src/core/ports/index.ts';

export const STATES: readonly IndexState[] = ['ABSENT', 'BUILDING', 'COMPLETE', 'UNCERTAIN', 'CORRUPT', 'DISABLED'];
export const KINDS = Object.keys(TRIGGER_CLASSES) as readonly TriggerKind[];

/** An ordinary record of each state. */
export const RECORDS: Readonly<Record<IndexState, IndexSafety>> = {
  ABSENT: record({ state: 'ABSENT' }),
  BUILDING: record({ state: 'BUILDING', building: 7 }),
  COMPLETE: record({ state: 'COMPLETE' }),
  UNCERTAIN: record({ state: 'UNCERTAIN', reason: 'OPEN_REQUIRES_VALIDATION', causes: [{ reason: 'OPEN_REQUIRES_VALIDATION', mark: 5 }] }),
  CORRUPT: record({ state: 'CORRUPT' }),
  DISABLED: record({ state: 'DISABLED', reason: 'MEMORY_BUDGET_EXCEEDED', disabledUntilMs: 1000 }),
};

export function record(changes: Partial<IndexSafety>): IndexSafety {
  return { ...NO_INDEX, mark: 7, epoch: 3, ...changes };
}

/** UNCERTAIN for these reasons, in order of priority; the first happened at mark 4, the next at 5. */
export function uncertain(...reasons: IndexSafety['causes'][number]['reason'][]): IndexSafety {
  return record({ state: 'UNCERTAIN', reason: reasons[0] ?? null, causes: reasons.map((reason, i) => ({ reason, mark: 4 + i })) });
}

/** A trigger of this kind about the passes of `RECORDS`. */
export function trigger(kind: TriggerKind, changes: { since?: number; hidingErrors?: number; nowMs?: number; disabledUntilMs?: number | null } = {}): Trigger {
  const { since = 7, hidingErrors = 0, nowMs = 999, disabledUntilMs = null } = changes;
  switch (kind) {
    case 'BUILD_COMPLETED':
      return { kind, since, hidingErrors };
    case 'BUILD_BUDGET_EXCEEDED':
    case 'BUILD_FAILED_DIRTY':
    case 'BUILD_FAILED_CLEAN':
    case 'RECONCILE_SUCCEEDED':
    case 'DIRTY_DRAINED':
      return { kind, since };
    case 'COOLDOWN_CHECKED':
    case 'PROCESS_STARTED':
      return { kind, nowMs };
    case 'MEMORY_BUDGET_EXCEEDED':
      return { kind, disabledUntilMs };
    default:
      return { kind };
  }
}

export const ANY: readonly IndexState[] = STATES.filter((state) => state !== 'DISABLED');
export const step = (before: IndexSafety, ...triggers: (Trigger | TriggerKind)[]): IndexSafety =>
  transition(
    before,
    triggers.map((one) => (typeof one === 'string' ? trigger(one) : one)),
  ).next;
export const walk = (before: IndexSafety, ...triggers: (Trigger | TriggerKind)[]): IndexSafety => triggers.reduce((safety, one) => step(safety, one), before);
export const states = (from: readonly IndexState[], one: TriggerKind): string[] => from.map((state) => step(RECORDS[state], one).state);
export const asks = (before: IndexSafety, kind: TriggerKind): readonly string[] => transition(before, [trigger(kind)]).actions;
export const shown = ({ state, reason }: IndexSafety): string => `${state}/${reason}`;
export const all = (text: string, count: number): string[] => Array<string>(count).fill(text);
