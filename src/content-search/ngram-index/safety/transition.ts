import type { IndexCause, IndexReason, IndexSafety, IndexState } from '../../../core/ports/index.ts';
import { ACTIONS, type Action } from './actions.ts';
import { GUARDS } from './guards.ts';
import { isUncertainReason, rankOf, SEVERITY } from './states.ts';
import { type Effect, ROWS, type Row } from './table.ts';
import { priorityOf, type Trigger } from './triggers.ts';

/** An index of which nothing is known yet. */
export const NO_INDEX: IndexSafety = {
  state: 'ABSENT',
  reason: null,
  causes: [],
  mark: 0,
  building: null,
  watcherLost: false,
  epoch: 0,
  disabledUntilMs: null,
};

export interface Transition {
  /** The same object when nothing changed. */
  readonly next: IndexSafety;
  /** Each once, in the order in which they are done. */
  readonly actions: readonly Action[];
  /** The rows that took part, by priority of their triggers. */
  readonly rows: readonly string[];
}

/** A row that fits, and the trigger that it fits. */
interface Fit {
  readonly row: Row;
  readonly trigger: Trigger;
}

/**
 * The next safety record after triggers that count as simultaneous; their order means nothing (local-search-index.md 4.2,
 * docs/index-safety.md). Pure.
 */
export function transition(safety: IndexSafety, triggers: readonly Trigger[]): Transition {
  const fits = triggers.flatMap((trigger) => fitOf(safety, trigger)).sort(byPriority);
  const won = winner(fits);
  const state = won === undefined ? safety.state : won.to;
  const next = nextOf(safety, fits, won);
  return { next: sameButMark(safety, next) ? safety : next, actions: actionsOf(fits, state), rows: fits.map(({ row }) => row.id) };
}

/** Two triggers of a kind may fit different rows: then the order of the table counts, never that of the triggers. */
function byPriority(a: Fit, b: Fit): number {
  return priorityOf(a.trigger.kind) - priorityOf(b.trigger.kind) || ALL_ROWS.indexOf(a.row) - ALL_ROWS.indexOf(b.row);
}

function fitOf(safety: IndexSafety, trigger: Trigger): Fit[] {
  const row = ALL_ROWS.find(
    ({ on, from, when }) => on === trigger.kind && from.includes(safety.state) && (when === undefined || GUARDS[when](safety, trigger)),
  );
  return row === undefined ? [] : [{ row, trigger }];
}

const ALL_ROWS: readonly Row[] = ROWS;

interface Winner {
  readonly to: IndexState;
  readonly row: Row;
}

/** P1, then P2: `fits` are in the order of P2. */
function winner(fits: readonly Fit[]): Winner | undefined {
  for (const to of SEVERITY) {
    const row = fits.find((fit) => fit.row.to === to)?.row;
    if (row !== undefined) return { to, row };
  }
  return undefined;
}

function nextOf(safety: IndexSafety, fits: readonly Fit[], won: Winner | undefined): IndexSafety {
  const mark = safety.mark + 1;
  const state = won?.to ?? safety.state;
  const causes = state === 'UNCERTAIN' ? causesOf(safety, fits, mark) : [];
  return {
    state,
    reason: state === 'UNCERTAIN' ? (causes[0]?.reason ?? null) : disabledReason(safety, won),
    causes,
    mark,
    building: buildingOf(safety, fits, won, mark),
    watcherLost: any(fits, 'watcher_lost') || (safety.watcherLost && !any(fits, 'watcher_back') && !any(fits, 'watcher_unneeded')),
    epoch: won?.row.effects?.includes('epoch') === true ? safety.epoch + 1 : safety.epoch,
    disabledUntilMs: disabledUntil(safety, fits, won),
  };
}

/** P4: every cause stays until a pass that began after it resolves it. */
function causesOf(safety: IndexSafety, fits: readonly Fit[], mark: number): IndexCause[] {
  const startsOver = any(fits, 'passes_void') || any(fits, 'watcher_back');
  const marks = new Map(safety.causes.map((cause) => [cause.reason, startsOver ? mark : cause.mark]));
  for (const { row } of fits) {
    if (isUncertainReason(row.reason)) marks.set(row.reason, mark);
  }
  return [...marks].map(([reason, at]) => ({ reason, mark: at })).sort((a, b) => rankOf(a.reason) - rankOf(b.reason));
}

function disabledReason(safety: IndexSafety, won: Winner | undefined): IndexReason | null {
  const reason = won?.row.reason;
  return won === undefined || reason === 'KEEP' ? safety.reason : (reason ?? null);
}

function buildingOf(safety: IndexSafety, fits: readonly Fit[], won: Winner | undefined, mark: number): number | null {
  if (won?.to === 'BUILDING') return mark;
  if (won !== undefined && won.to !== 'UNCERTAIN') return null;
  return any(fits, 'build_ends') || any(fits, 'passes_void') ? null : safety.building;
}

function disabledUntil(safety: IndexSafety, fits: readonly Fit[], won: Winner | undefined): number | null {
  if (won === undefined || won.row.reason === 'KEEP') return safety.disabledUntilMs;
  if (won.row.reason !== 'MEMORY_BUDGET_EXCEEDED') return null;
  // Of several pauses the longest; none at all lasts until the next start.
  const ends = fits.flatMap(({ trigger }) => ('disabledUntilMs' in trigger ? [trigger.disabledUntilMs] : []));
  return ends.includes(null) ? null : Math.max(...ends.filter((end) => end !== null));
}

function actionsOf(fits: readonly Fit[], state: IndexState): Action[] {
  const asked = new Set(fits.flatMap(({ row }) => row.actions.filter((action) => ACTIONS[action] === 'always' || row.to === state)));
  return (Object.keys(ACTIONS) as Action[]).filter((action) => asked.has(action));
}

function any(fits: readonly Fit[], effect: Effect): boolean {
  return fits.some(({ row }) => row.effects?.includes(effect) === true);
}

/** A record that says the same is not written again, and no pass becomes stale by it. */
function sameButMark(before: IndexSafety, after: IndexSafety): boolean {
  return JSON.stringify({ ...after, mark: before.mark }) === JSON.stringify({ ...before });
}
