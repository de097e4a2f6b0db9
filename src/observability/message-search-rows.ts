import { PLAN_METHODS, SEARCH_MODES } from '../contracts/index.ts';
import type { EventRow, MetricRow } from './metric-row.ts';

const API = ['api'] as const;

/** From a word that few messages have to one that most of a million have; a search is ended after 30 s. */
const SEARCH_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

/** `none`: no engine was asked, or none could answer. */
export const SEARCH_ENGINE_LABELS = ['fts5', 'tantivy', 'postgresql', 'semantic', 'hybrid', 'hybrid_rerank', 'none'] as const;

/** The servers of PostgreSQL: replicas in the order of `messages.postgresql_replicas`, of which there are at most eight. */
export const MESSAGE_DATABASE_LABELS = [
  'primary',
  'replica_1',
  'replica_2',
  'replica_3',
  'replica_4',
  'replica_5',
  'replica_6',
  'replica_7',
  'replica_8',
] as const;
export const MESSAGE_DATABASE_LEFT = ['behind', 'away', 'slow', 'unfit'] as const;

/** The part of the telemetry contract (`events.ts`) that is about searches in messages. */
export const MESSAGE_SEARCH_METRICS = {
  writ_message_searches_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Searches in messages that were answered, by how they were run; `degraded`: not as they were asked for.',
    labels: { method: PLAN_METHODS, degraded: ['yes', 'no'] },
    roles: API,
  },
  writ_message_search_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time of a search in messages within its thread, by the engine that served it.',
    labels: { engine: SEARCH_ENGINE_LABELS },
    buckets: SEARCH_SECONDS,
    roles: API,
  },
  writ_message_search_downgrades_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Searches in messages whose mode was not there and was replaced by the next one, by the mode that was asked for.',
    labels: { requested: SEARCH_MODES },
    roles: API,
  },
  writ_message_search_cursors_ignored_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Searches in messages whose cursor could not be used; they began with the first page.',
    labels: {},
    roles: API,
  },
  writ_message_search_engine_errors_total: {
    type: 'counter',
    unit: 'events',
    help: 'Engines of message search that could not answer: the next one was asked, or the answer is empty.',
    labels: { engine: SEARCH_ENGINE_LABELS },
    roles: API,
  },
  writ_message_database_answers_total: {
    type: 'counter',
    unit: 'searches',
    help: 'Questions of searches in messages that a server of PostgreSQL answered.',
    labels: { server: MESSAGE_DATABASE_LABELS },
    roles: API,
  },
  writ_message_database_left_total: {
    type: 'counter',
    unit: 'events',
    help: 'How often a server of PostgreSQL was found behind, away, slow or unfit (no copy of these messages), and left for a while.',
    labels: { server: MESSAGE_DATABASE_LABELS, why: MESSAGE_DATABASE_LEFT },
    roles: API,
  },
  writ_message_database_behind_changes: {
    type: 'gauge',
    unit: 'entries',
    help: 'Changes of the messages that a server of PostgreSQL lacked when a search last looked at it.',
    labels: { server: MESSAGE_DATABASE_LABELS },
    roles: API,
  },
} as const satisfies Record<string, MetricRow>;

/** Events of searches in messages (message-search.md 8). */
export const MESSAGE_SEARCH_LINES = {
  messageSearch: {
    level: 'debug',
    message: 'search.done',
    fields: ['kind', 'method', 'engine', 'results', 'ms', 'degraded'],
    roles: ['api'],
    help: 'A search in messages was answered. What was looked for is not logged.',
  },
  messageEngineUnknown: {
    level: 'warn',
    message: 'SEARCH_ENGINE names no engine and is ignored',
    fields: ['word'],
    roles: ['api'],
    help: 'It may be fts5, tantivy, shadow or hybrid; searches in messages take what `messages.engine` says.',
  },
  messageSocket: {
    level: 'warn',
    message: 'other processes cannot search messages through this one',
    fields: ['err'],
    roles: ['api'],
    help: 'The socket beside the messages could not be opened. Commands and MCP servers of this host then load indexes and models themselves.',
  },
  messageSearchDowngrade: {
    level: 'info',
    message: 'search.mode.downgrade',
    fields: ['requested', 'actual', 'reason'],
    roles: ['api'],
    help: 'A mode of message search was asked for that is not there; the next one answered.',
  },
  messageSearchCursor: {
    level: 'info',
    message: 'search.cursor.invalidated',
    fields: ['cursor_engine', 'current_engine'],
    roles: ['api'],
    help: 'A cursor of another engine came, or one that cannot be read; the search began with the first page.',
  },
  messageSearchShadow: {
    level: 'info',
    message: 'search.shadow.comparison',
    fields: ['serving_engine', 'shadow_engine', 'overlap_jaccard', 'ndcg_at_10', 'mrr_delta', 'serving_only', 'shadow_only'],
    roles: ['api'],
    help: 'SEARCH_ENGINE is shadow: how the engine in the shadow differs from the one that served.',
  },
  messageDatabaseLeft: {
    level: 'info',
    message: 'a server of PostgreSQL is left for a while',
    fields: ['server', 'why', 'behind', 'reason'],
    roles: ['api'],
    help: 'Searches in messages go to the other servers meanwhile (docs/message-postgresql.md, Replicas for reading); one that is behind is told at level debug.',
  },
  messageSearchError: {
    level: 'warn',
    message: 'search.engine.error',
    fields: ['engine', 'reason'],
    roles: ['api'],
    help: 'An engine of message search could not answer: the next one was asked, or the answer is empty.',
  },
} as const satisfies Record<string, EventRow>;
