import { describe, expect, it } from 'vitest';
import type { MessageSearchEvent } from '../../../src/core/ports/index.ts';
import { messageSearchTelemetry } from '../../../src/observability/message-search.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';

async function toldOf(...events: MessageSearchEvent[]): Promise<{ lines: string[]; text: string }> {
  const metrics = createMetrics('api', '0');
  const lines: string[] = [];
  const at = (level: string) => (fields: unknown, message?: string) => void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const tell = messageSearchTelemetry(metrics, { debug: at('debug'), info: at('info'), warn: at('warn') });
  for (const event of events) tell(event);
  return { lines, text: await metrics.text() };
}

describe('the telemetry of message search', () => {
  it('logs and counts a search, without what was looked for', { tags: ['MS-152'] }, async () => {
    const { lines, text } = await toldOf({
      event: 'search.done',
      kind: 'message',
      method: 'fts5',
      engine: 'fts5',
      results: 3,
      total_us: 1500,
      degraded: false,
    });
    expect(lines).toEqual(['debug search.done {"kind":"message","method":"fts5","engine":"fts5","results":3,"ms":1.5,"degraded":false}']);
    expect(text).toContain('writ_message_searches_total{method="fts5",degraded="no"} 1');
    expect(text).toContain('writ_message_search_seconds_count{engine="fts5"} 1');
  });

  it('logs and counts a mode that was replaced', { tags: ['MS-149'] }, async () => {
    const { lines, text } = await toldOf({ event: 'search.mode.downgrade', requested: 'hybrid', actual: 'lexical', reason: 'there are no vectors' });
    expect(lines).toEqual(['info search.mode.downgrade {"requested":"hybrid","actual":"lexical","reason":"there are no vectors"}']);
    expect(text).toContain('writ_message_search_downgrades_total{requested="hybrid"} 1');
  });

  it('logs and counts a cursor of another engine', { tags: ['MS-151'] }, async () => {
    const { lines, text } = await toldOf({ event: 'search.cursor.invalidated', cursor_engine: 'tantivy', current_engine: 'fts5' });
    expect(lines).toEqual(['info search.cursor.invalidated {"cursor_engine":"tantivy","current_engine":"fts5"}']);
    expect(text).toMatch(/writ_message_search_cursors_ignored_total(\{\})? 1/);
  });

  it('logs what a shadow comparison found', { tags: ['MS-150'] }, async () => {
    const comparison = {
      serving_engine: 'fts5',
      shadow_engine: 'tantivy',
      overlap_jaccard: 0.5,
      ndcg_at_10: 0.7,
      mrr_delta: -0.1,
      serving_only: 1,
      shadow_only: 2,
    };
    expect((await toldOf({ event: 'search.shadow.comparison', comparison })).lines).toEqual([`info search.shadow.comparison ${JSON.stringify(comparison)}`]);
  });

  it('warns of an engine that could not answer, and keeps strange words out of the labels', async () => {
    const { lines, text } = await toldOf({ event: 'search.engine.error', engine: 'new', message: 'away' });
    expect(lines).toEqual(['warn search.engine.error {"engine":"new","reason":"away"}']);
    expect(text).toContain('writ_message_search_engine_errors_total{engine="none"} 1');
  });
});
