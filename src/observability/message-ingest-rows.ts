import type { EventRow, MetricRow } from './metric-row.ts';

const API = ['api'] as const;

/** From one message to a thousand with long bodies on a slow disk. */
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60] as const;

/** The part of the telemetry contract (`events.ts`) that is about what changes the messages. */
export const MESSAGE_INGEST_METRICS = {
  writ_message_ops_total: {
    type: 'counter',
    unit: 'events',
    help: 'Operations on messages, agents, projects and products that the writer has done, by what came of them.',
    labels: { what: ['inserted', 'updated', 'deleted', 'unchanged', 'refused'] },
    roles: API,
  },
  writ_message_commit_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time of one transaction of the writer of messages, its commit included.',
    labels: {},
    buckets: COMMIT_SECONDS,
    roles: API,
  },
  writ_message_ingest_failures_total: {
    type: 'counter',
    unit: 'jobs',
    help: 'Deliveries of ingest jobs that failed: storage that refuses, or a job that is none.',
    labels: {},
    roles: API,
  },
  writ_message_indexed_total: {
    type: 'counter',
    unit: 'events',
    help: 'Texts that an index beside the database of messages has taken over, by the index.',
    labels: { engine: ['tantivy', 'vectors', 'postgresql'] },
    roles: API,
  },
  writ_message_rebuilds_total: { type: 'counter', unit: 'events', help: 'Full text of all messages that was made anew.', labels: {}, roles: API },
} as const satisfies Record<string, MetricRow>;

/** Events of the life of the full text (message-search.md 8), and trouble of the writer. */
export const MESSAGE_INGEST_LINES = {
  messagesIndexed: {
    level: 'debug',
    message: 'index.incremental.batch',
    fields: ['batch_size', 'engine', 'ms'],
    roles: ['api'],
    help: 'A transaction of the writer of messages has changed the full text of `batch_size` rows.',
  },
  messagesRebuildBegun: {
    level: 'info',
    message: 'index.rebuild.start',
    fields: ['doc_count', 'engine'],
    roles: ['api'],
    help: 'The full text of all messages, agents and projects is made anew; searches see the old one until it is complete.',
  },
  messagesRebuilt: {
    level: 'info',
    message: 'index.rebuild.complete',
    fields: ['doc_count', 'duration_ms', 'engine'],
    roles: ['api'],
    help: 'The full text of all messages was made anew.',
  },
  messageIndexMismatch: {
    level: 'warn',
    message: 'index.schema.mismatch',
    fields: ['expected', 'actual'],
    roles: ['api'],
    help: "Tantivy's index was written by another version: it is made anew, and searches take SQLite's full text until then.",
  },
  messageIndexFailed: {
    level: 'warn',
    message: 'the index of messages cannot follow',
    fields: ['engine', 'why'],
    roles: ['api'],
    help: 'An index beside the messages (Tantivy, vectors) could not be brought up to date; the next change tries again, and searches take what there is meanwhile.',
  },
  messagesStandBy: {
    level: 'warn',
    message: 'messages are not taken in',
    fields: ['why'],
    roles: ['api'],
    help: 'The database of messages cannot be written by this process; everything else works on.',
  },
  messagesLost: {
    level: 'warn',
    message: 'the database of messages is gone, an empty one was made',
    fields: [],
    roles: ['api'],
    help: 'An earlier start had one in its place. Stop the API and put it, or a backup, back; or import again.',
  },
  messageJobFailed: {
    level: 'warn',
    message: 'an ingest job failed',
    fields: ['job', 'err'],
    roles: ['api'],
    help: 'It is tried again unless it is no ingest job at all; what it brought can be sent again without harm.',
  },
} as const satisfies Record<string, EventRow>;
