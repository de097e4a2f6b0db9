import { INDEX_PHASES, INDEX_REASONS, INDEX_STATES, INDEX_TASK_KINDS, INDEX_VETOES } from '../contracts/index.ts';
import type { MetricRow } from './metric-row.ts';

const INDEX = ['index'] as const;
const API = ['api'] as const;
/** Who searches. */
const SEARCHERS = ['api', 'worker'] as const;

/** From a check of an index that is not there to the longest build that the settings allow. */
const TASK_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600] as const;
/** A search waits 20 ms for the host, or as long as it would take without it. */
const BARRIER_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2] as const;

/** Why the index left nothing out of a search; `none`: it was used. What a later version names is `other`. */
export const INDEX_BYPASSES = [
  'none',
  'INDEX_OFF',
  'NO_ROOT',
  'OPTIONS',
  'BACKEND',
  'START',
  'NO_HOST',
  'VETO',
  'OTHER_READER',
  'OVERLAY',
  'BUDGET',
  'SEGMENTS',
  'CORRUPT',
  'FUZZY',
  'REGEX',
  'FOLDING_UNKNOWN',
  'NO_USABLE_NGRAM',
  'ILL_FORMED',
  'LINE_BREAK',
  'NOT_NFC',
  'TOO_SHORT',
  'other',
] as const;

/** The part of the telemetry contract (`events.ts`) that is about the index of content searches. Never a directory: indexes are counted. */
export const CONTENT_INDEX_METRICS = {
  writ_index_wanted: {
    type: 'gauge',
    unit: 'state',
    help: 'Whether the settings want an index (`tools.search.index_mode` is not off).',
    labels: {},
    roles: API,
  },
  writ_index_searches_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Content searches by the reason for which the index left no file out of them; none: it was used.',
    labels: { bypass: INDEX_BYPASSES },
    roles: SEARCHERS,
  },
  writ_index_excluded_files_total: {
    type: 'counter',
    unit: 'files',
    help: 'Files that content searches needed not read because the index proves that they cannot match; only searches with stats are counted.',
    labels: {},
    roles: SEARCHERS,
  },
  writ_index_barrier_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time that content searches waited for the word of the index host, a host that did not answer included.',
    labels: {},
    buckets: BARRIER_SECONDS,
    roles: SEARCHERS,
  },
  writ_index_indexes: { type: 'gauge', unit: 'indexes', help: 'Indexes of this host by their state.', labels: { state: INDEX_STATES }, roles: INDEX },
  writ_index_reasons: {
    type: 'gauge',
    unit: 'indexes',
    help: 'Indexes of this host by the reason for which they are UNCERTAIN or DISABLED now.',
    labels: { reason: INDEX_REASONS },
    roles: INDEX,
  },
  writ_index_phases: {
    type: 'gauge',
    unit: 'indexes',
    help: 'Indexes that are worked on, by the phase of the task.',
    labels: { phase: INDEX_PHASES },
    roles: INDEX,
  },
  writ_index_phase_files: {
    type: 'gauge',
    unit: 'files',
    help: 'Files that the phases of running tasks have dealt with, and have to deal with as far as that is known.',
    labels: { part: ['done', 'total'] },
    roles: INDEX,
  },
  writ_index_build_elapsed_seconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'Time since the build that runs began, the longest of all; 0 when none runs.',
    labels: {},
    roles: INDEX,
  },
  writ_index_serving: { type: 'gauge', unit: 'indexes', help: 'Indexes by which searches may leave files out at this moment.', labels: {}, roles: INDEX },
  writ_index_staleness_seconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'Time since an index was last seen fit to leave files out, the longest of all that are wanted; 0 when all are. Seen at scrapes, so up to an interval more.',
    labels: {},
    roles: INDEX,
  },
  writ_index_files: { type: 'gauge', unit: 'files', help: 'Files in the catalogs of all indexes.', labels: {}, roles: INDEX },
  writ_index_size_bytes: { type: 'gauge', unit: 'bytes', help: 'Bytes that all indexes take, on disk or in memory.', labels: {}, roles: INDEX },
  writ_index_overlay_entries: {
    type: 'gauge',
    unit: 'entries',
    help: 'Paths that changed since the last segment was written; every search looks at them itself.',
    labels: { kind: ['file', 'subtree'] },
    roles: INDEX,
  },
  writ_index_changes_total: {
    type: 'counter',
    unit: 'events',
    help: 'Changes of the state of an index, by the state before and the new state.',
    labels: { before: INDEX_STATES, state: INDEX_STATES },
    roles: INDEX,
  },
  writ_index_doubts_total: {
    type: 'counter',
    unit: 'events',
    help: 'Times that an index became UNCERTAIN or DISABLED, or got another reason to be, by that reason.',
    labels: { reason: INDEX_REASONS },
    roles: INDEX,
  },
  writ_index_vetoes_total: {
    type: 'counter',
    unit: 'events',
    help: 'Vetoes that the watcher raised: no file is left out until a pass has answered for it.',
    labels: { veto: INDEX_VETOES },
    roles: INDEX,
  },
  writ_index_tasks_total: {
    type: 'counter',
    unit: 'jobs',
    help: 'Maintenance tasks by their kind and their end.',
    labels: { kind: INDEX_TASK_KINDS, end: ['ok', 'stopped', 'over_budget', 'corrupt', 'failed'] },
    roles: INDEX,
  },
  writ_index_task_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time of maintenance tasks that ended well, by kind.',
    labels: { kind: INDEX_TASK_KINDS },
    buckets: TASK_SECONDS,
    roles: INDEX,
  },
  writ_index_built_files: { type: 'gauge', unit: 'files', help: 'Files that the last build of each index read, together.', labels: {}, roles: INDEX },
  writ_index_built_bytes: { type: 'gauge', unit: 'bytes', help: 'Bytes that the last build of each index read, together.', labels: {}, roles: INDEX },
  writ_index_records_lost_total: {
    type: 'counter',
    unit: 'events',
    help: 'Times that the records of an index could not be written; no file is left out until they can.',
    labels: {},
    roles: INDEX,
  },
} as const satisfies Record<string, MetricRow>;
