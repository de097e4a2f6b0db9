import type { HostVeto, IndexRecordChanges, IndexSafety, OverlayEntry, Published } from '../../../core/ports/index.ts';
import type { Action } from '../safety/actions.ts';
import { NO_INDEX, transition } from '../safety/transition.ts';
import type { Trigger } from '../safety/triggers.ts';
import { advanceRecord } from '../safety/writer.ts';
import type { HostDeps, HostMemory } from './types.ts';

/** The record of a host's index and what follows from its changes. The host is the one writer of its key. */
export interface HostRecord {
  /** Applies triggers that count as simultaneous, and does what they ask. Without one it writes down what could not be written. @returns the record after them */
  apply(...triggers: readonly Trigger[]): IndexSafety;
  /** Makes the present state known to searches, with what a new snapshot covers. Resolves when every later barrier tells it. */
  publish(covers?: Covers): Promise<void>;
}

/** What a snapshot covers of the overlay, and up to which event vetoes are void. */
export interface Covers {
  readonly entries?: readonly OverlayEntry[];
  readonly through?: number;
}

export function hostRecord(deps: HostDeps, memory: HostMemory, submit: (kind: 'build' | 'reconcile' | 'update', reason: string) => void): HostRecord {
  const deeds: Record<Action, () => void> = {
    // Done with the record, in one transaction.
    CLEAR_DIRTY: () => undefined,
    STOP_BUILD: () => memory.job?.abort(),
    QUARANTINE: () => giveUp(() => deps.files.quarantine()),
    REMOVE_PARTIAL: () => giveUp(() => deps.files.sweep(null)),
    // What was read by the rules of now may stay: rules that are denied by name change only with the settings.
    PURGE_DENIED: () => memory.policy === deps.policy || giveUp(() => deps.files.purge()),
    CLOSE_STORE: () => giveUp(() => deps.files.purge()),
    SCHEDULE_BUILD: () => submit('build', stateText(memory.safety)),
    SCHEDULE_PASS: () => submit('reconcile', stateText(memory.safety)),
    SCHEDULE_DRAIN: () => submit('update', stateText(memory.safety)),
    TOUCH: () => void deps.store.write((records) => records.touch(deps.keyHash, deps.now())),
  };

  function giveUp(files: () => void): void {
    memory.snapshot = null;
    memory.resets += 1;
    try {
      files();
    } catch {
      // What could not be moved is not read again all the same: nothing names it.
    }
  }

  /** Other than this host nobody changes the record; so one that is gone or older comes from a store that was lost. */
  function restore(records: IndexRecordChanges): void {
    const stored = records.safety(deps.keyHash);
    if (stored === undefined) records.create(memory.meta ?? freshMeta(deps), memory.safety);
    else if (stored.mark < memory.safety.mark) records.setSafety(deps.keyHash, memory.safety, deps.now());
  }

  return {
    apply(...triggers) {
      const before = memory.safety;
      const written = deps.store.write((records) => {
        restore(records);
        return advanceRecord(records, deps.keyHash, triggers, deps.now());
      });
      if (!written.ok && !memory.recordsLost) deps.report({ kind: 'records-lost', message: `${written.refusal}: ${written.message}` });
      memory.recordsLost = !written.ok;
      // What happened, happened, also if it cannot be written down: it is written with the next change that can.
      const { next, actions, rows } = written.ok ? written.value : transition(memory.safety, triggers);
      memory.safety = next;
      if (next.mark !== before.mark) deps.report({ kind: 'state', before, after: next, rows });
      for (const action of actions) deeds[action]();
      return next;
    },
    publish({ entries = [], through = 0 } = {}) {
      if (memory.veto !== null && memory.veto.seq <= through) memory.veto = null;
      return deps.watch.publish(published(memory, entries, through));
    },
  };
}

/** A state that could not be written down is not told either: whoever reads it would believe more than the records say. */
function published({ safety, recordsLost, guarantee, snapshot }: HostMemory, covered: readonly OverlayEntry[], through: number): Published {
  const state = recordsLost && safety.state === 'COMPLETE' ? 'UNCERTAIN' : safety.state;
  return {
    state,
    reason: state === safety.state ? safety.reason : 'MAINT_BUDGET_EXCEEDED',
    guarantee,
    snapshot,
    covered,
    coveredThrough: through,
    lifts: through > 0 ? { through } : null,
  };
}

export const FRESH: IndexSafety = NO_INDEX;

/** What is known of an index that begins. */
export function freshMeta({ keyHash, spec, now }: Pick<HostDeps, 'keyHash' | 'spec' | 'now'>) {
  const nowMs = now();
  return { ...spec, keyHash, createdAtMs: nowMs, updatedAtMs: nowMs, accessedAtMs: nowMs, sizeBytes: 0, generation: null, enumerateErrors: 0 };
}

/** What a veto of the host means to the record (docs/index-watch.md); NOT_COMPLETE only says what the record says. */
export const TRIGGER_OF_VETO = {
  NOT_ARMED: 'WATCHER_DOWN',
  OVERFLOW: 'WATCHER_OVERFLOW',
  WATCHER_DOWN: 'WATCHER_DOWN',
  ELIGIBILITY: 'ELIGIBILITY_CHANGED',
  POLICY: 'POLICY_CHANGED',
  MOUNT: 'ELIGIBILITY_CHANGED',
  HARD_LINK: 'RENAME_AMBIGUOUS',
  BACKLOG: 'DIRTY_OVER_BUDGET',
  NOT_COMPLETE: undefined,
} as const satisfies Record<HostVeto, Trigger['kind'] | undefined>;

/** After these the watches no longer cover the tree: they are armed from scratch before the next pass. */
export const NEEDS_ARMING: ReadonlySet<HostVeto> = new Set<HostVeto>(['NOT_ARMED', 'OVERFLOW', 'WATCHER_DOWN', 'MOUNT', 'ELIGIBILITY']);

function stateText({ state, reason }: IndexSafety): string {
  return reason === null ? state : `${state}/${reason}`;
}
