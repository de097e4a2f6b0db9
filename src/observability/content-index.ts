import { INDEX_PHASES, INDEX_REASONS, INDEX_STATES, type IndexStatus, type IndexTaskKind } from '../contracts/index.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import type { BuildOutcome, HostVeto, IndexHostEvent, IndexSafety } from '../core/ports/index.ts';
import type { LabelsOf } from './events.ts';
import { LOG_LINES } from './log-lines.ts';
import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';

/** What an index host reports, as far as it is counted. */
export type CountedIndexEvent =
  | { readonly kind: 'state'; readonly before: Pick<IndexSafety, 'state' | 'reason'>; readonly after: Pick<IndexSafety, 'state' | 'reason'> }
  | { readonly kind: 'veto'; readonly veto: HostVeto }
  | { readonly kind: 'task'; readonly task: IndexTaskKind; readonly outcome: BuildOutcome['outcome'] | 'skipped'; readonly elapsedMs: number }
  | { readonly kind: 'armed' | 'records-lost' };

type TaskEnd = LabelsOf<'writ_index_tasks_total'>['end'];

const ENDS = {
  done: 'ok',
  nothing: 'ok',
  measured: 'ok',
  checked: 'ok',
  skipped: 'ok',
  rebuild: 'ok',
  partial: 'over_budget',
  stopped: 'stopped',
  'over-budget': 'over_budget',
  corrupt: 'corrupt',
  failed: 'failed',
} satisfies Record<Extract<CountedIndexEvent, { kind: 'task' }>['outcome'], TaskEnd>;

/** Counts what an index host reports. */
export function countIndexEvent(metrics: Metrics, event: CountedIndexEvent): void {
  if (event.kind === 'state') countChange(metrics, event);
  else if (event.kind === 'task') countTask(metrics, event);
  else if (event.kind === 'veto') metrics.inc('writ_index_vetoes_total', { veto: event.veto });
  else if (event.kind === 'records-lost') metrics.inc('writ_index_records_lost_total', {});
}

function countChange(metrics: Metrics, { before, after }: Extract<CountedIndexEvent, { kind: 'state' }>): void {
  if (after.state !== before.state) metrics.inc('writ_index_changes_total', { before: before.state, state: after.state });
  if (after.reason !== null && after.reason !== before.reason) metrics.inc('writ_index_doubts_total', { reason: after.reason });
}

function countTask(metrics: Metrics, { task: kind, outcome, elapsedMs }: Extract<CountedIndexEvent, { kind: 'task' }>): void {
  const end = ENDS[outcome];
  metrics.inc('writ_index_tasks_total', { kind, end });
  if (end === 'ok') metrics.observe('writ_index_task_seconds', { kind }, elapsedMs / 1000);
}

/** Has the gauges of an index host follow its own word, at each scrape. */
export function followIndexes(metrics: Metrics, status: () => readonly IndexStatus[], clock: Clock = systemClock): void {
  const sum = (of: (one: IndexStatus) => number): number => status().reduce((total, one) => total + of(one), 0);
  for (const state of INDEX_STATES) metrics.follow('writ_index_indexes', { state }, () => sum((one) => Number(one.state === state)));
  for (const reason of INDEX_REASONS) metrics.follow('writ_index_reasons', { reason }, () => sum((one) => Number(one.reason === reason)));
  for (const phase of INDEX_PHASES) metrics.follow('writ_index_phases', { phase }, () => sum(({ activity }) => Number(activity?.phase === phase)));
  metrics.follow('writ_index_phase_files', { part: 'done' }, () => sum(({ activity }) => activity?.done ?? 0));
  metrics.follow('writ_index_phase_files', { part: 'total' }, () => sum(({ activity }) => activity?.total ?? 0));
  metrics.follow('writ_index_build_elapsed_seconds', {}, () => Math.max(0, ...status().map((one) => buildSeconds(one, clock))));
  metrics.follow('writ_index_serving', {}, () => sum(({ serving }) => Number(serving)));
  metrics.follow('writ_index_staleness_seconds', {}, stalenessOf(status, clock));
  metrics.follow('writ_index_files', {}, () => sum(({ files }) => files ?? 0));
  metrics.follow('writ_index_size_bytes', {}, () => sum(({ bytes }) => bytes));
  metrics.follow('writ_index_overlay_entries', { kind: 'file' }, () => sum(({ overlay }) => overlay.files));
  metrics.follow('writ_index_overlay_entries', { kind: 'subtree' }, () => sum(({ overlay }) => overlay.subtrees));
  metrics.follow('writ_index_built_files', {}, () => sum(({ last_build: built }) => built?.files ?? 0));
  metrics.follow('writ_index_built_bytes', {}, () => sum(({ last_build: built }) => built?.bytes ?? 0));
}

/** FR-LSI-BG-21: how long the build of this index runs, if one does. */
function buildSeconds({ activity }: IndexStatus, clock: Pick<Clock, 'now'>): number {
  return activity?.kind === 'build' ? (clock.now() - Date.parse(activity.started_at)) / 1000 : 0;
}

/** @returns seconds since the index that has served least lately was seen serving; an index that is DISABLED owes nothing */
function stalenessOf(status: () => readonly IndexStatus[], clock: Pick<Clock, 'monotonic'>): () => number {
  let servedAt = new Map<string, number>();
  return () => {
    const now = clock.monotonic();
    const owing = status().filter(({ state }) => state !== 'DISABLED');
    servedAt = new Map(owing.map(({ root, serving }) => [root, serving ? now : (servedAt.get(root) ?? now)]));
    return Math.max(0, ...[...servedAt.values()].map((at) => (now - at) / 1000));
  };
}

type EventOf<K extends IndexHostEvent['kind']> = Extract<IndexHostEvent, { kind: K }>;

/** The log line of each kind of event. */
const LOGGED = {
  state: (log, root, { after, rows }) => log.info({ root, state: after.state, reason: after.reason, rows }, LOG_LINES.indexState.message),
  veto: (log, root, { veto }) => log.info({ root, veto }, LOG_LINES.indexVeto.message),
  task(log, root, { task, outcome, detail, elapsedMs: ms }) {
    log[task === 'update' ? 'debug' : 'info']({ root, task, outcome, detail, ms }, LOG_LINES.indexTask.message);
  },
  armed(log, root, { result }) {
    if (result.ok) log.info({ root, directories: result.directories, warnings: result.warnings }, LOG_LINES.indexWatched.message);
    else log.warn({ root, refused: result.refused }, LOG_LINES.indexUnwatched.message);
  },
  'records-lost': (log, root, { message }) => log.error({ root, problem: message }, LOG_LINES.indexRecordsLost.message),
} satisfies { readonly [K in IndexHostEvent['kind']]: (log: Logger, root: string, event: EventOf<K>) => void };

/**
 * Logs what an index host reports.
 *
 * @param root directory that the index is of
 */
export function logIndexEvent(log: Logger, root: string, event: IndexHostEvent): void {
  (LOGGED[event.kind] as (log: Logger, root: string, event: IndexHostEvent) => void)(log, root, event);
}
