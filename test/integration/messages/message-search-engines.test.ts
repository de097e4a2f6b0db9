import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SearchResponse } from '../../../src/contracts/index.ts';
import type { EngineAnswer, MessageEngine, SearchError } from '../../../src/core/ports/message-engine.ts';
import { mailboxFile } from '../../support/mailbox.ts';
import { BOX } from '../../support/mailbox-small.ts';
import { searchOver } from '../../support/search-service.ts';

let box: ReturnType<typeof mailboxFile>;
beforeAll(() => {
  box = mailboxFile(BOX);
});
afterAll(() => box.remove());

const ERRORS: readonly SearchError['kind'][] = ['invalid_query', 'index_not_ready', 'engine_error', 'feature_unavailable'];

describe('engines that fail', () => {
  const failing = (name: 'tantivy' | 'semantic' | 'hybrid', answer: () => EngineAnswer<never>): MessageEngine => ({
    name,
    tag: name === 'tantivy' ? 'tantivy' : 'hybrid',
    mode: name === 'tantivy' ? 'lexical' : name,
    find: answer,
    rows: answer,
  });

  it.each(ERRORS)(
    'with %s are followed by the next one, and explain says so',
    { tags: ['MS-153', 'MS-154', 'MS-155', 'MS-156', 'MS-157', 'MS-159', 'MS-160', 'MS-161'] },
    async (kind) => {
      const broken = (): EngineAnswer<never> => ({ ok: false, error: { kind, message: 'broken' } });
      const rig = searchOver(box.file, { engines: { tantivy: failing('tantivy', broken), hybrid: failing('hybrid', broken) } });
      const answer = await rig.search({ text: 'plan', mode: 'hybrid', explain: true }, null);
      rig.close();
      expect(SearchResponse.parse(answer)).toEqual(answer);
      expect(answer.results).toHaveLength(5);
      expect(answer.explain).toMatchObject({ engine: 'fts5', mode_downgraded: true, notes: [`${kind}: hybrid: broken`, `${kind}: tantivy: broken`] });
      expect(answer.diagnostics?.degraded).toBe(true);
    },
  );

  it('or throw, all of them, leave a valid answer with nothing found', { tags: ['MS-157'] }, async () => {
    const fts5: MessageEngine = {
      name: 'fts5',
      tag: 'fts5',
      mode: 'lexical',
      find() {
        throw new Error('the disk is gone');
      },
      rows() {
        throw new Error('the disk is gone');
      },
    };
    const rig = searchOver(box.file, { engines: { fts5 } });
    for (const query of [{ text: 'plan' }, { text: '', project_id: 1 }, { text: '../..' }]) {
      const answer = await rig.search({ ...query, explain: true }, null);
      expect(SearchResponse.parse(answer)).toEqual(answer);
      expect(answer).toMatchObject({ results: [], diagnostics: { degraded: true, fallback_mode: 'engine_error' }, explain: { method: 'empty' } });
    }
    expect(rig.events).toContainEqual({ event: 'search.engine.error', engine: 'fts5', message: 'the disk is gone' });
  });
});

describe('a shadow', () => {
  it('is asked and compared, and FTS5 serves', { tags: ['MS-019', 'MS-100', 'MS-102', 'MS-150', 'MS-169'] }, async () => {
    const plain = searchOver(box.file);
    const tantivy: MessageEngine = { ...plain.fts5, name: 'tantivy', tag: 'tantivy' };
    const rig = searchOver(box.file, { killSwitch: 'shadow', engines: { tantivy } });
    const answer = await rig.search({ text: 'plan', explain: true }, null);
    const comparison = { serving_engine: 'fts5', shadow_engine: 'tantivy', overlap_jaccard: 1, ndcg_at_10: 1, mrr_delta: 0, serving_only: 0, shadow_only: 0 };
    expect(answer.explain).toMatchObject({ engine: 'fts5', shadow: comparison });
    expect(rig.events).toContainEqual({ event: 'search.shadow.comparison', comparison });
    expect(answer.results).toEqual((await plain.search({ text: 'plan', explain: true }, null)).results);
    rig.close();
    plain.close();
  });

  it('is told of also where it finds something else', { tags: ['MS-150'] }, async () => {
    const plain = searchOver(box.file);
    const withoutFirst: MessageEngine['find'] = async (request) => {
      const found = await plain.fts5.find(request);
      return found.ok ? { ok: true, value: { ...found.value, rows: found.value.rows.slice(1) } } : found;
    };
    const tantivy: MessageEngine = { ...plain.fts5, name: 'tantivy', tag: 'tantivy', find: withoutFirst };
    const rig = searchOver(box.file, { killSwitch: 'shadow', engines: { tantivy } });
    const { results, explain } = await rig.search({ text: 'plan', explain: true }, null);
    expect(results).toHaveLength(5);
    const comparison = { serving_engine: 'fts5', shadow_engine: 'tantivy', overlap_jaccard: 4 / 5, mrr_delta: -1, serving_only: 1, shadow_only: 0 };
    expect(explain?.shadow).toMatchObject(comparison);
    expect(rig.events).toContainEqual({ event: 'search.shadow.comparison', comparison: { ...comparison, ndcg_at_10: explain?.shadow?.ndcg_at_10 } });
    rig.close();
    plain.close();
  });
});
