import type { IndexReason, IndexState } from '../../../core/ports/index.ts';
import type { Action } from './actions.ts';
import type { Guard } from './guards.ts';
import { ANY, EVERY_STATE } from './states.ts';
import type { TriggerKind } from './triggers.ts';

/**
 * What a row does to the record beside state and reason. (A row that leads to BUILDING also gives the build its mark.) `build_ends`:
 * none runs. `passes_void`: whatever runs began on ground that is gone. `epoch`: coverage is confirmed anew.
 */
export type Effect = 'build_ends' | 'passes_void' | 'epoch' | 'watcher_lost' | 'watcher_back' | 'watcher_unneeded';

export interface Row {
  /** `LSI-ST-nn`: row nn of the table in local-search-index.md 4.2.2; `W-nn`: ours. */
  readonly id: string;
  readonly on: TriggerKind;
  readonly from: readonly IndexState[];
  readonly when?: Guard;
  /** `SAME`: no opinion about the state. */
  readonly to: IndexState | 'SAME';
  /** Only for DISABLED and UNCERTAIN; `KEEP`: as it is. UNCERTAIN without one adds no cause. */
  readonly reason?: IndexReason | 'KEEP';
  readonly effects?: readonly Effect[];
  readonly actions: readonly Action[];
}

const A: readonly IndexState[] = ['ABSENT'];
const B: readonly IndexState[] = ['BUILDING'];
const C: readonly IndexState[] = ['COMPLETE'];
const U: readonly IndexState[] = ['UNCERTAIN'];
const D: readonly IndexState[] = ['DISABLED'];
const BU: readonly IndexState[] = ['BUILDING', 'UNCERTAIN'];
const CU: readonly IndexState[] = ['COMPLETE', 'UNCERTAIN'];
const AX: readonly IndexState[] = ['ABSENT', 'CORRUPT'];
/** Where nothing is being built. */
const IDLE: readonly IndexState[] = ['ABSENT', 'CORRUPT', 'UNCERTAIN', 'COMPLETE'];

/** docs/index-safety.md 3, which says why. The first row that fits counts. */
export const ROWS = [
  { id: 'LSI-ST-03', on: 'COOLDOWN_CHECKED', from: D, when: 'pause_runs', to: 'DISABLED', reason: 'KEEP', actions: [] },
  { id: 'LSI-ST-04', on: 'COOLDOWN_CHECKED', from: D, when: 'pause_over', to: 'ABSENT', actions: [] },
  { id: 'LSI-ST-05', on: 'FILE_MISSING', from: ANY, to: 'ABSENT', effects: ['passes_void'], actions: ['STOP_BUILD', 'SCHEDULE_BUILD'] },
  { id: 'LSI-ST-06', on: 'BELOW_THRESHOLD', from: A, to: 'DISABLED', reason: 'BELOW_THRESHOLD', actions: [] },
  {
    id: 'LSI-ST-08',
    on: 'MISMATCH',
    from: ANY,
    to: 'BUILDING',
    effects: ['passes_void'],
    actions: ['STOP_BUILD', 'CLEAR_DIRTY', 'QUARANTINE', 'SCHEDULE_BUILD'],
  },
  {
    id: 'LSI-ST-09',
    on: 'INTEGRITY_FAILED',
    from: ANY,
    to: 'CORRUPT',
    effects: ['passes_void'],
    actions: ['STOP_BUILD', 'CLEAR_DIRTY', 'QUARANTINE', 'SCHEDULE_BUILD'],
  },
  { id: 'LSI-ST-10', on: 'BUILD_STARTED', from: IDLE, to: 'BUILDING', actions: [] },
  {
    id: 'W-01',
    on: 'BUILD_COMPLETED',
    from: B,
    when: 'this_build_hid_files',
    to: 'UNCERTAIN',
    reason: 'ENUMERATION_ERROR',
    effects: ['build_ends'],
    actions: ['SCHEDULE_PASS'],
  },
  {
    id: 'W-02',
    on: 'BUILD_COMPLETED',
    from: B,
    when: 'this_build_unwatched',
    to: 'UNCERTAIN',
    reason: 'WATCHER_DOWN',
    effects: ['build_ends'],
    actions: ['SCHEDULE_PASS'],
  },
  { id: 'LSI-ST-11', on: 'BUILD_COMPLETED', from: B, when: 'this_build', to: 'COMPLETE', effects: ['build_ends', 'epoch'], actions: [] },
  { id: 'W-03', on: 'BUILD_COMPLETED', from: U, when: 'this_build', to: 'UNCERTAIN', effects: ['build_ends'], actions: ['SCHEDULE_PASS'] },
  {
    id: 'LSI-ST-12',
    on: 'BUILD_BUDGET_EXCEEDED',
    from: B,
    when: 'this_build',
    to: 'UNCERTAIN',
    reason: 'BUILD_BUDGET_EXCEEDED',
    effects: ['build_ends'],
    actions: [],
  },
  {
    id: 'W-04',
    on: 'BUILD_BUDGET_EXCEEDED',
    from: U,
    when: 'this_build',
    to: 'UNCERTAIN',
    reason: 'BUILD_BUDGET_EXCEEDED',
    effects: ['build_ends'],
    actions: [],
  },
  { id: 'LSI-ST-13', on: 'BUILD_FAILED_CLEAN', from: B, when: 'this_build', to: 'ABSENT', effects: ['passes_void'], actions: ['REMOVE_PARTIAL'] },
  { id: 'W-05', on: 'BUILD_FAILED_CLEAN', from: U, when: 'this_build', to: 'ABSENT', effects: ['passes_void'], actions: ['REMOVE_PARTIAL'] },
  {
    id: 'LSI-ST-14',
    on: 'BUILD_FAILED_DIRTY',
    from: B,
    when: 'this_build',
    to: 'CORRUPT',
    effects: ['passes_void'],
    actions: ['QUARANTINE'],
  },
  { id: 'W-06', on: 'BUILD_FAILED_DIRTY', from: U, when: 'this_build', to: 'CORRUPT', effects: ['passes_void'], actions: ['QUARANTINE'] },
  { id: 'LSI-ST-15', on: 'OPEN_OK', from: IDLE, to: 'UNCERTAIN', reason: 'OPEN_REQUIRES_VALIDATION', actions: ['SCHEDULE_PASS'] },
  {
    id: 'W-07',
    on: 'WATCHER_STARTED',
    from: B,
    when: 'watcher_lost',
    to: 'UNCERTAIN',
    reason: 'WATCHER_DOWN',
    effects: ['watcher_back'],
    actions: [],
  },
  { id: 'LSI-ST-16', on: 'WATCHER_STARTED', from: CU, to: 'SAME', effects: ['watcher_back'], actions: [] },
  { id: 'W-08', on: 'WATCHER_STARTED', from: ['ABSENT', 'BUILDING', 'CORRUPT'], to: 'SAME', effects: ['watcher_back'], actions: [] },
  { id: 'W-09', on: 'WATCHER_OVERFLOW', from: U, when: 'build_runs', to: 'UNCERTAIN', reason: 'WATCHER_OVERFLOW_DURING_BUILD', actions: [] },
  { id: 'LSI-ST-17', on: 'WATCHER_OVERFLOW', from: CU, to: 'UNCERTAIN', reason: 'WATCHER_OVERFLOW', actions: ['SCHEDULE_PASS'] },
  { id: 'LSI-ST-18', on: 'WATCHER_OVERFLOW', from: B, to: 'UNCERTAIN', reason: 'WATCHER_OVERFLOW_DURING_BUILD', actions: [] },
  { id: 'LSI-ST-19', on: 'WATCHER_DOWN', from: C, to: 'UNCERTAIN', reason: 'WATCHER_DOWN', effects: ['watcher_lost'], actions: ['SCHEDULE_PASS'] },
  { id: 'W-10', on: 'WATCHER_DOWN', from: BU, to: 'UNCERTAIN', reason: 'WATCHER_DOWN', effects: ['watcher_lost'], actions: ['SCHEDULE_PASS'] },
  { id: 'W-11', on: 'WATCHER_DOWN', from: AX, to: 'SAME', effects: ['watcher_lost'], actions: [] },
  { id: 'W-12', on: 'STAT_LEVEL_CHOSEN', from: ANY, to: 'SAME', effects: ['watcher_unneeded'], actions: [] },
  { id: 'LSI-ST-20', on: 'ELIGIBILITY_CHANGED', from: CU, to: 'UNCERTAIN', reason: 'ELIGIBILITY_CHANGED', actions: ['SCHEDULE_PASS'] },
  { id: 'W-13', on: 'ELIGIBILITY_CHANGED', from: B, to: 'UNCERTAIN', reason: 'ELIGIBILITY_CHANGED', actions: ['SCHEDULE_PASS'] },
  {
    id: 'LSI-ST-21',
    on: 'POLICY_CHANGED',
    from: CU,
    to: 'UNCERTAIN',
    reason: 'POLICY_CHANGED',
    effects: ['build_ends'],
    actions: ['STOP_BUILD', 'PURGE_DENIED', 'SCHEDULE_PASS'],
  },
  {
    id: 'W-14',
    on: 'POLICY_CHANGED',
    from: B,
    to: 'UNCERTAIN',
    reason: 'POLICY_CHANGED',
    effects: ['build_ends'],
    actions: ['STOP_BUILD', 'PURGE_DENIED', 'SCHEDULE_PASS'],
  },
  {
    id: 'LSI-ST-22',
    on: 'ENUMERATION_ERROR',
    from: ['COMPLETE', 'BUILDING', 'UNCERTAIN'],
    to: 'UNCERTAIN',
    reason: 'ENUMERATION_ERROR',
    actions: ['SCHEDULE_PASS'],
  },
  { id: 'LSI-ST-23', on: 'EVICTED', from: ANY, to: 'ABSENT', effects: ['passes_void'], actions: ['STOP_BUILD', 'CLEAR_DIRTY', 'QUARANTINE'] },
  {
    id: 'LSI-ST-24',
    on: 'MEMORY_BUDGET_EXCEEDED',
    from: ANY,
    to: 'DISABLED',
    reason: 'MEMORY_BUDGET_EXCEEDED',
    actions: ['STOP_BUILD', 'CLOSE_STORE'],
  },
  {
    id: 'LSI-ST-25',
    on: 'DIRTY_OVER_BUDGET',
    from: C,
    to: 'UNCERTAIN',
    reason: 'DIRTY_BACKLOG',
    actions: ['SCHEDULE_DRAIN'],
  },
  { id: 'LSI-ST-27', on: 'DIRTY_DRAINED', from: U, when: 'drain_suffices', to: 'COMPLETE', actions: [] },
  { id: 'LSI-ST-28', on: 'RECONCILE_STARTED', from: U, to: 'UNCERTAIN', actions: [] },
  { id: 'LSI-ST-29', on: 'RECONCILE_SUCCEEDED', from: U, when: 'pass_covers_all', to: 'COMPLETE', effects: ['epoch'], actions: [] },
  { id: 'W-15', on: 'RECONCILE_SUCCEEDED', from: U, to: 'UNCERTAIN', actions: ['SCHEDULE_PASS'] },
  { id: 'LSI-ST-30', on: 'RECONCILE_OVER_BUDGET', from: U, to: 'UNCERTAIN', actions: [] },
  { id: 'LSI-ST-30', on: 'RECONCILE_HIDING_ERRORS', from: U, to: 'UNCERTAIN', reason: 'ENUMERATION_ERROR', actions: [] },
  { id: 'LSI-ST-32', on: 'RENAME_AMBIGUOUS', from: C, to: 'UNCERTAIN', reason: 'RENAME_UNCERTAIN', actions: ['SCHEDULE_PASS'] },
  { id: 'W-17', on: 'RENAME_AMBIGUOUS', from: BU, to: 'UNCERTAIN', reason: 'RENAME_UNCERTAIN', actions: ['SCHEDULE_PASS'] },
  { id: 'W-18', on: 'THRESHOLD_EXCEEDED', from: D, when: 'below_threshold', to: 'ABSENT', actions: ['SCHEDULE_BUILD'] },
  { id: 'W-19', on: 'PROCESS_STARTED', from: D, when: 'pause_runs', to: 'DISABLED', reason: 'KEEP', actions: [] },
  { id: 'W-20', on: 'PROCESS_STARTED', from: EVERY_STATE, to: 'ABSENT', effects: ['passes_void', 'watcher_unneeded'], actions: [] },
  { id: 'W-21', on: 'ACCESSED', from: ANY, to: 'SAME', actions: ['TOUCH'] },
] satisfies readonly Row[];
