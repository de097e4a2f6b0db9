/**
 * What can happen to an index, and its class of P2 (local-search-index.md 4.2.1): 1 hard disable (no host runs then, and nothing can
 * happen), 2 corruption, 3 mismatch,
 * 4 coverage, 5 resources, 6 opening, building and passes, 7 incremental maintenance, 8 access. The order of this record
 * is the order of P2 (docs/index-safety.md 2).
 */
export const TRIGGER_CLASSES = {
  INTEGRITY_FAILED: 2,
  MISMATCH: 3,
  WATCHER_OVERFLOW: 4,
  WATCHER_DOWN: 4,
  ELIGIBILITY_CHANGED: 4,
  POLICY_CHANGED: 4,
  ENUMERATION_ERROR: 4,
  RECONCILE_HIDING_ERRORS: 4,
  RENAME_AMBIGUOUS: 4,
  EVICTED: 5,
  MEMORY_BUDGET_EXCEEDED: 5,
  COOLDOWN_CHECKED: 5,
  PROCESS_STARTED: 6,
  FILE_MISSING: 6,
  OPEN_OK: 6,
  BELOW_THRESHOLD: 6,
  THRESHOLD_EXCEEDED: 6,
  WATCHER_STARTED: 6,
  STAT_LEVEL_CHOSEN: 6,
  BUILD_STARTED: 6,
  BUILD_BUDGET_EXCEEDED: 6,
  BUILD_FAILED_DIRTY: 6,
  BUILD_FAILED_CLEAN: 6,
  BUILD_COMPLETED: 6,
  RECONCILE_STARTED: 6,
  RECONCILE_OVER_BUDGET: 6,
  RECONCILE_SUCCEEDED: 6,
  DIRTY_OVER_BUDGET: 7,
  DIRTY_DRAINED: 7,
  ACCESSED: 8,
} satisfies Record<string, 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8>;

export type TriggerKind = keyof typeof TRIGGER_CLASSES;

/** The end of a pass over the tree: `since` is the mark of the record right after its start was recorded. */
type PassEnd = 'BUILD_BUDGET_EXCEEDED' | 'BUILD_FAILED_DIRTY' | 'BUILD_FAILED_CLEAN' | 'RECONCILE_SUCCEEDED' | 'DIRTY_DRAINED';

export type Trigger =
  | { readonly kind: Exclude<TriggerKind, PassEnd | 'BUILD_COMPLETED' | 'COOLDOWN_CHECKED' | 'PROCESS_STARTED' | 'MEMORY_BUDGET_EXCEEDED'> }
  | { readonly kind: PassEnd; readonly since: number }
  /** `hidingErrors`: directories that could not be read. */
  | { readonly kind: 'BUILD_COMPLETED'; readonly since: number; readonly hidingErrors: number }
  /** Milliseconds since 1970. */
  | { readonly kind: 'COOLDOWN_CHECKED' | 'PROCESS_STARTED'; readonly nowMs: number }
  | { readonly kind: 'MEMORY_BUDGET_EXCEEDED'; readonly disabledUntilMs: number | null };

/** Place in the order of P2, 0 for the strongest. */
export function priorityOf(kind: TriggerKind): number {
  return PRIORITIES[kind];
}

const PRIORITIES = Object.fromEntries(Object.keys(TRIGGER_CLASSES).map((kind, place) => [kind, place])) as Record<TriggerKind, number>;
