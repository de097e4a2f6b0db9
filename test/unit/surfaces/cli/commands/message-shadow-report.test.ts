import { describe, expect, it } from 'vitest';
import type { SearchResponse } from '../../../../../src/contracts/index.ts';
import { compareEngines } from '../../../../../src/messages/search/compare-engines.ts';
import { EXPLAIN_SAMPLE } from '../../../../support/message-samples.ts';
import { A_MESSAGE, messageSearchTwin } from '../../../../support/message-search-twin.ts';
import { createWorld } from '../world.ts';

const found = (engine: 'fts5' | 'tantivy', ids: readonly number[], total_us: number): SearchResponse => ({
  results: ids.map((id) => ({ ...A_MESSAGE, id })),
  explain: { ...EXPLAIN_SAMPLE, engine, method: engine, timing: { total_us } },
});

/** `writ messages shadow-report` where the engines answer so. */
async function report(shadow: SearchResponse, args: readonly string[] = [], input = 'plan\n\n# no query\nrelease notes\n') {
  const twins = { fts5: messageSearchTwin(found('fts5', [1, 2, 3], 1000)), tantivy: messageSearchTwin(shadow) };
  const cli = (await createWorld()).cli;
  const said = await cli(['messages', 'shadow-report', 'input', ...args], input, {
    messageSearch: async () => twins.fts5,
    compareEngines: (wish) => compareEngines({ name: 'tantivy', serving: twins.fts5, shadow: twins.tantivy }, wish),
  });
  return { ...said, asked: twins.tantivy.asked };
}

describe('writ messages shadow-report', () => {
  it('asks both engines each query, and passes when they agree', async () => {
    const { code, lines, asked } = await report(found('tantivy', [1, 2, 3], 1500), ['--json', '--project', 'backend', '--limit', '3']);
    expect(code).toBe(0);
    expect(lines).toMatchObject([{ queries: 2, compared: 2, mean: { overlap_jaccard: 1 }, latency: { serving_ms: 1, shadow_ms: 1.5 } }]);
    // Once more at the front: what opens the index is not measured.
    expect(asked.map(({ text }) => text)).toEqual(['plan', 'plan', 'release notes']);
    expect(asked[0]).toEqual({ text: 'plan', project_id: 1, limit: 3, explain: true });
  });

  it('shows figures, gates and the queries that are far apart', async () => {
    const { code, out } = await report(found('tantivy', [9], 5000));
    expect(code).toBe(1);
    expect(out).toMatch(/^queries +2 of 2 compared$/m);
    expect(out).toMatch(/^overlap +0\.000 +>= 0\.75 +FAILED$/m);
    expect(out).toMatch(/^latency +5\.000 +<= 2 +FAILED$/m);
    expect(out).toMatch(/^errors +0\.000 +<= 0\.01 +passed$/m);
    expect(out).toMatch(/^ +0\.000 +3 +1 +release notes$/m);
  });

  it('counts nothing as passed when Tantivy is not there, and says why', async () => {
    const { code, out } = await report({ ...found('fts5', [1], 9), explain: { ...EXPLAIN_SAMPLE, downgrade_reason: 'the engine is not installed' } });
    expect(code).toBe(1);
    expect(out).toMatch(/^overlap +- +>= 0\.75 +NOT MEASURED$/m);
    expect(out).toContain('the engine is not installed');
  });

  it('needs a query', async () => {
    expect(await report(found('tantivy', [], 1), [], '\n# nothing\n')).toMatchObject({ code: 2, err: expect.stringContaining('there is no query') });
  });
});
