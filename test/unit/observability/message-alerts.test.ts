import { describe } from 'vitest';
import { type Story, tellStories } from '../../support/alerts.ts';

describe('prometheus/message-alerts.yml', () => {
  const failures = (values: string) => ({ 'writ_message_ingest_failures_total{role="api", instance="api"}': values });
  const errors = (values: string) => ({ 'writ_message_search_engine_errors_total{role="api", instance="api", engine="fts5"}': values });
  const stories: [string, Story][] = [
    ['an engine fails', { alert: 'WritMessageSearchFailing', series: errors('0+1x40'), after: '20m', labels: { engine: 'fts5' } }],
    ['an engine failed once', { alert: 'WritMessageSearchFailing', series: errors('0x5 1x40'), after: '20m', labels: undefined }],
    ['ingest fails', { alert: 'WritMessagesNotTakenIn', series: failures('0x5 1x20'), after: '12m', labels: {} }],
    ['nothing failed', { alert: 'WritMessagesNotTakenIn', series: failures('3x30'), after: '20m', labels: undefined }],
  ];
  tellStories('message', stories);
});
