import { describe, expect, it } from 'vitest';
import { type SearchMode, SearchQuery } from '../../../../src/contracts/index.ts';
import { type KillSwitch, type Missing, orderOf, planOf, routeOf } from '../../../../src/messages/search/planner.ts';
import { normalQuery } from '../../../../src/messages/search/query.ts';

const normal = (query: object) => normalQuery(SearchQuery.parse({ text: '', ...query }));

const NONE: Missing = {};
const NO_VECTORS: Missing = { semantic: 'no vectors', hybrid: 'no vectors', hybrid_rerank: 'no reranker' };
const NO_RERANKER: Missing = { hybrid_rerank: 'no reranker' };
const FTS5_ONLY: Missing = { ...NO_VECTORS, tantivy: 'not installed' };

const CHAINS: readonly (readonly [SearchMode | null, KillSwitch, Missing, readonly string[], boolean])[] = [
  [null, undefined, NONE, ['tantivy', 'fts5'], false],
  ['lexical', undefined, FTS5_ONLY, ['fts5'], false],
  ['semantic', undefined, NONE, ['semantic', 'tantivy', 'fts5'], false],
  ['semantic', undefined, NO_VECTORS, ['tantivy', 'fts5'], true],
  ['semantic', undefined, FTS5_ONLY, ['fts5'], true],
  ['hybrid', undefined, NONE, ['hybrid', 'tantivy', 'fts5'], false],
  ['hybrid', undefined, NO_VECTORS, ['tantivy', 'fts5'], true],
  ['hybrid', undefined, FTS5_ONLY, ['fts5'], true],
  ['hybrid_rerank', undefined, NONE, ['hybrid_rerank', 'hybrid', 'tantivy', 'fts5'], false],
  ['hybrid_rerank', undefined, NO_RERANKER, ['hybrid', 'tantivy', 'fts5'], true],
  ['hybrid_rerank', undefined, NO_VECTORS, ['tantivy', 'fts5'], true],
  ['hybrid_rerank', undefined, FTS5_ONLY, ['fts5'], true],
  ['lexical', 'fts5', NONE, ['fts5'], false],
  ['semantic', 'fts5', NONE, ['fts5'], true],
  ['hybrid', 'fts5', NONE, ['fts5'], true],
  ['hybrid_rerank', 'fts5', NONE, ['fts5'], true],
  ['lexical', 'shadow', NONE, ['fts5'], false],
  ['hybrid', 'shadow', NONE, ['fts5'], true],
  ['lexical', 'tantivy', NONE, ['tantivy', 'fts5'], false],
  ['lexical', 'tantivy', FTS5_ONLY, ['fts5'], true],
  ['semantic', 'tantivy', NONE, ['semantic', 'tantivy', 'fts5'], false],
  ['hybrid', 'tantivy', NO_VECTORS, ['tantivy', 'fts5'], true],
  ['lexical', 'postgresql', NONE, ['postgresql', 'fts5'], false],
  [null, 'postgresql', { postgresql: 'nowhere' }, ['fts5'], true],
  ['hybrid', 'postgresql', NO_VECTORS, ['postgresql', 'fts5'], true],
  [null, 'hybrid', NONE, ['hybrid', 'tantivy', 'fts5'], false],
  [null, 'hybrid', FTS5_ONLY, ['fts5'], true],
  ['lexical', 'hybrid', NONE, ['tantivy', 'fts5'], false],
];

describe('the way of a mode', () => {
  it.each(CHAINS)(
    'for %s under SEARCH_ENGINE=%s without %j is %j',
    { tags: ['MS-003', 'MS-007', 'MS-008', 'MS-009', 'MS-010', 'MS-011', 'MS-012', 'MS-013', 'MS-014', 'MS-016', 'MS-017', 'MS-018', 'MS-020', 'MS-021'] },
    (mode, killSwitch, missing, engines, downgraded) => {
      const route = routeOf(mode, killSwitch, missing);
      expect(route.engines).toEqual(engines);
      expect(route.reasons.length > 0).toBe(downgraded);
    },
  );

  it('says what is missing, and compares with a shadow only when told to', { tags: ['MS-019', 'MS-097'] }, () => {
    expect(routeOf('hybrid_rerank', undefined, NO_VECTORS)).toMatchObject({
      requested: 'hybrid_rerank',
      reasons: ['hybrid_rerank: no reranker', 'hybrid: no vectors'],
      shadow: false,
    });
    expect(routeOf('semantic', 'shadow', NONE)).toMatchObject({ reasons: ['SEARCH_ENGINE is shadow'], shadow: true });
  });
});

describe('the plan of a query', () => {
  it.each([
    [{ text: 'plan' }, 'words'],
    [{ text: '../..' }, 'substrings'],
    [{ text: `${'(a OR '.repeat(40)}b${')'.repeat(40)}` }, 'words'],
    [{ project_id: 1 }, 'filters'],
    [{ product_id: 1 }, 'filters'],
    [{ importance: ['low'] }, 'filters'],
    [{ agent_name: 'Ada' }, 'filters'],
    [{ agent_name: 'Ada', direction: 'inbox' }, 'filters'],
    [{ thread_id: 'x' }, 'filters'],
    [{ ack_required: false }, 'filters'],
    [{ time_range: { max_ts: 1 } }, 'filters'],
    [{ sender_name: 'Ada' }, 'filters'],
    [{ recipient_name: 'Ada' }, 'filters'],
    [{}, 'empty'],
    [{ direction: 'inbox' }, 'empty'],
    [{ min_score: 0.5 }, 'empty'],
    [{ text: '***', project_id: 1 }, 'empty'],
    [{ text: 'AND', project_id: 1 }, 'empty'],
    [{ doc_kind: 'agent', project_id: 1 }, 'empty'],
    [{ doc_kind: 'project', thread_id: 'x' }, 'empty'],
  ])('of %j is %s', { tags: ['MS-030', 'MS-049'] }, (query, expected) => {
    const plan = planOf(normal(query));
    expect(plan.empty ? 'empty' : plan.match.by).toBe(expected);
  });

  it('orders words by relevance, everything else newest first, and agents and projects without words by id', { tags: ['MS-035', 'MS-060'] }, () => {
    const order = (query: object) => {
      const plan = planOf(normal(query));
      return plan.empty ? undefined : orderOf(normal(query), plan.match);
    };
    expect([
      order({ text: 'x' }),
      order({ text: 'x', ranking: 'recency' }),
      order({ thread_id: 'x' }),
      order({ text: '../..' }),
      order({ text: '../..', doc_kind: 'agent' }),
    ]).toEqual(['relevance', 'newest', 'newest', 'newest', 'id']);
  });
});
