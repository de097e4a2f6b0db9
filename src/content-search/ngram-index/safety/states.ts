import { INDEX_STATES } from '../../../contracts/index.ts';
import type { DisabledReason, IndexState, UncertainReason } from '../../../core/ports/index.ts';

/** P1 of local-search-index.md 4.2.1, the most severe first. */
export const SEVERITY = ['DISABLED', 'CORRUPT', 'UNCERTAIN', 'BUILDING', 'ABSENT', 'COMPLETE'] satisfies readonly IndexState[];

export const EVERY_STATE: readonly IndexState[] = INDEX_STATES;
/** "Any (except DISABLED)". */
export const ANY: readonly IndexState[] = INDEX_STATES.filter((state) => state !== 'DISABLED');

/**
 * Reasons of UNCERTAIN (Appendix D) by the priority of the triggers that raise them, the strongest first (P4): what this
 * record does not list cannot be stored.
 */
export const UNCERTAIN_REASONS = {
  WATCHER_OVERFLOW: 'events of the file system were lost',
  WATCHER_OVERFLOW_DURING_BUILD: 'events of the file system were lost while the index was built',
  WATCHER_DOWN: 'the file system is not watched any more',
  ELIGIBILITY_CHANGED: 'an ignore file changed',
  POLICY_CHANGED: 'the deny patterns or allowed roots changed',
  ENUMERATION_ERROR: 'a directory could not be read',
  RENAME_UNCERTAIN: 'something was renamed, from or to where is not known',
  OPEN_REQUIRES_VALIDATION: 'opened, and not yet compared with the files',
  BUILD_BUDGET_EXCEEDED: 'the build came to one of its limits; there is a part of an index',
  MAINT_BUDGET_EXCEEDED: 'a search had no time left to look after the index',
  DIRTY_BACKLOG: 'changed files wait to be indexed',
} satisfies Record<UncertainReason, string>;

/** Reasons of DISABLED (Appendix D). `index_mode=off` has none. */
export const DISABLED_REASONS = {
  BELOW_THRESHOLD: 'the tree is small enough to do without',
  PERSISTENCE_NOT_PERMITTED: 'no cache directory can be determined',
  MEMORY_BUDGET_EXCEEDED: 'the index in memory came to its limit',
} satisfies Record<DisabledReason, string>;

export function isUncertainReason(reason: string | null | undefined): reason is UncertainReason {
  return typeof reason === 'string' && Object.hasOwn(UNCERTAIN_REASONS, reason);
}

/** Place in the order of P4, 0 for the strongest. */
export function rankOf(reason: UncertainReason): number {
  return RANKS[reason];
}

const RANKS = Object.fromEntries(Object.keys(UNCERTAIN_REASONS).map((reason, rank) => [reason, rank])) as Record<UncertainReason, number>;
