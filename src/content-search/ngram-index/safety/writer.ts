import type { ContentIndexStore, IndexRecordChanges, IndexSafety, RecordsAnswer } from '../../../core/ports/index.ts';
import type { Action } from './actions.ts';
import { NO_INDEX, type Transition, transition } from './transition.ts';
import type { Trigger } from './triggers.ts';

export interface Advance extends Transition {
  readonly before: IndexSafety;
  /** What is left to do: the dirty queue was cleared with the record, if that was asked. */
  readonly actions: readonly Action[];
}

/**
 * The only way in which a safety record changes: reads it, computes, writes it, in one transaction. To be called by the one
 * writer of a root; whoever opens the records later sees all of it or nothing (docs/index-safety.md 4).
 *
 * @returns the transition, or why the records could not be written: then nothing changed, and nothing may be left out
 */
export function advance(store: ContentIndexStore, keyHash: string, triggers: readonly Trigger[], nowMs: number): RecordsAnswer<Advance> {
  return store.write((records) => advanceRecord(records, keyHash, triggers, nowMs));
}

/** The same, inside of a transaction that does more. */
export function advanceRecord(records: IndexRecordChanges, keyHash: string, triggers: readonly Trigger[], nowMs: number): Advance {
  const before = records.safety(keyHash) ?? NO_INDEX;
  const { next, actions, rows } = transition(before, triggers);
  if (next !== before) records.setSafety(keyHash, next, nowMs);
  if (actions.includes('CLEAR_DIRTY')) records.clearDirty(keyHash);
  return { before, next, rows, actions: actions.filter((action) => action !== 'CLEAR_DIRTY') };
}
