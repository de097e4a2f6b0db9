import type { HostVeto, IndexSafety, OverlayEntry, Published } from '../../../core/ports/index.ts';
import { type Action, advance, NO_INDEX, type Trigger } from '../safety/index.ts';
import type { HostDeps, HostMemory } from './types.ts';

/** The record of a host's index and what follows from its changes. The host is the one writer of its key. */
export interface HostRecord {
  /** Applies triggers that count as simultaneous, and asks the lane for what they ask. @returns the record after them */
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
  const schedules: Partial<Record<Action, () => void>> = {
    SCHEDULE_BUILD: () => submit('build', stateText(memory.safety)),
    START_BUILD: () => undefined,
    SCHEDULE_PASS: () => submit('reconcile', stateText(memory.safety)),
    SCHEDULE_DRAIN: () => submit('update', stateText(memory.safety)),
  };
  return {
    apply(...triggers) {
      const advanced = advance(deps.store, deps.keyHash, triggers, deps.now());
      memory.recordsLost = !advanced.ok;
      if (!advanced.ok) {
        deps.report({ kind: 'records-lost', message: advanced.message });
        return memory.safety;
      }
      const { before, next, rows, actions } = advanced.value;
      memory.safety = next;
      if (next !== before) deps.report({ kind: 'state', before, after: next, rows });
      for (const action of actions) schedules[action]?.();
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
