import { type Panel, RATE } from './panel.ts';

/** The row of the messages: what is looked for in them, and what changes them. */
export const MESSAGE_PANELS: readonly Panel[] = [
  {
    title: 'Message searches',
    description:
      'Searches in messages that were answered each second, by how they were run. like_fallback: words were looked for in the tables because the full text could not be asked; filter_only: without words; empty: nothing to look for.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{method}}': `sum by (method) (rate(writ_message_searches_total[${RATE}]))` },
    thresholds: { warn: 100, bad: 500 },
    width: 8,
  },
  {
    title: 'Message search time',
    description:
      'The 95th percentile of the time of searches in messages within their thread, by engine. Words that most messages have take about 1 µs for each.',
    kind: 'timeseries',
    unit: 's',
    queries: { '{{engine}}': `histogram_quantile(0.95, sum by (engine, le) (rate(writ_message_search_seconds_bucket[${RATE}])))` },
    thresholds: { warn: 0.1, bad: 5 },
    width: 8,
  },
  {
    title: 'Message searches that were not as asked',
    description:
      'Each second: modes that were not there and were replaced, engines that could not answer, cursors that could not be used. Errors stand in the log of the API as search.engine.error.',
    kind: 'timeseries',
    unit: 'ops',
    queries: {
      '{{requested}} replaced': `sum by (requested) (rate(writ_message_search_downgrades_total[${RATE}]))`,
      'error of {{engine}}': `sum by (engine) (rate(writ_message_search_engine_errors_total[${RATE}]))`,
      'cursor ignored': `sum(rate(writ_message_search_cursors_ignored_total[${RATE}]))`,
    },
    thresholds: { warn: 0.1, bad: 1 },
    width: 8,
  },
  {
    title: 'Messages taken in',
    description:
      'Operations on messages, agents, projects and products each second, by what came of them. unchanged: what was there already; refused: what cannot be done.',
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{what}}': `sum by (what) (rate(writ_message_ops_total[${RATE}]))` },
    thresholds: { warn: 5000, bad: 20000 },
    width: 8,
  },
  {
    title: 'Commit of messages',
    description: 'The 95th percentile of the time of one transaction of the writer of messages. A slow disk shows here first.',
    kind: 'timeseries',
    unit: 's',
    queries: { commit: `histogram_quantile(0.95, sum by (le) (rate(writ_message_commit_seconds_bucket[${RATE}])))` },
    thresholds: { warn: 0.5, bad: 5 },
    width: 8,
  },
  {
    title: 'Trouble with messages',
    description: 'Each second: deliveries of ingest jobs that failed, and full texts that were made anew. The jobs stand on the board, queue message-index.',
    kind: 'timeseries',
    unit: 'ops',
    queries: {
      'failed jobs': `sum(rate(writ_message_ingest_failures_total[${RATE}]))`,
      rebuilds: `sum(rate(writ_message_rebuilds_total[${RATE}]))`,
    },
    thresholds: { warn: 0.01, bad: 0.1 },
    width: 8,
  },
  {
    title: 'Texts in indexes of messages',
    description:
      "Texts that Tantivy's index and the vectors have taken over each second. They follow what is taken in; where one stands still, its failure stands in the log of the API.",
    kind: 'timeseries',
    unit: 'ops',
    queries: { '{{engine}}': `sum by (engine) (rate(writ_message_indexed_total[${RATE}]))` },
    thresholds: { warn: 5000, bad: 20000 },
    width: 8,
  },
  {
    title: 'Servers of PostgreSQL',
    description:
      'Where messages.engine is postgresql: questions of searches that each server answered, and how often one was found behind, away, slow or unfit and left for a while, each second. Other servers answer meanwhile.',
    kind: 'timeseries',
    unit: 'ops',
    queries: {
      '{{server}}': `sum by (server) (rate(writ_message_database_answers_total[${RATE}]))`,
      '{{server}} {{why}}': `sum by (server, why) (rate(writ_message_database_left_total[${RATE}]))`,
    },
    thresholds: { warn: 100, bad: 500 },
    width: 8,
  },
  {
    title: 'Changes that servers of PostgreSQL lack',
    description:
      'Changes of the messages that each server lacked when a search last looked at it. One that stays above 0 gets nothing from its primary, or the primary nothing from the store.',
    kind: 'timeseries',
    unit: 'short',
    queries: { '{{server}}': `max by (server) (writ_message_database_behind_changes)` },
    thresholds: { warn: 100, bad: 10_000 },
    width: 8,
  },
];
