import { describe, expect, it } from 'vitest';
import { Direction, DocKind, Importance, RankingMode, SearchMode, SearchQuery } from '../../../../src/contracts/index.ts';
import { normalQuery } from '../../../../src/messages/search/query.ts';

const normal = (query: object) => normalQuery(SearchQuery.parse({ text: '', ...query }));

describe('a query', () => {
  it('needs its text alone; everything else has the default of version 2', {
    tags: ['MS-002', 'MS-026', 'MS-029', 'MS-035', 'MS-036', 'MS-038', 'MS-041', 'MS-045', 'MS-046', 'MS-047', 'MS-058'],
  }, () => {
    expect(normal({ text: ' a \t b ' })).toEqual({
      text: 'a b',
      doc_kind: 'message',
      project_id: null,
      product_id: null,
      importance: [],
      direction: null,
      agent_name: null,
      thread_id: null,
      ack_required: null,
      min_ts: null,
      max_ts: null,
      ranking: 'relevance',
      limit: 50,
      offset: 0,
      cursor: null,
      explain: false,
      bodies: true,
      snippets: false,
      facets: false,
      retry: true,
      scope: 'unrestricted',
      redaction: null,
      mode: null,
      sender_name: null,
      recipient_name: null,
      min_score: null,
      rerank_top_k: 100,
      rrf_k: 60,
    });
    expect(SearchQuery.safeParse({}).success).toBe(false);
    expect(SearchQuery.parse({ text: '', what_is_this: 1 })).toEqual({ text: '' });
  });

  it.each([
    ['limit', [null, 0, 1, 1000, 1001], [50, 1, 1, 1000, 1000]],
    ['rerank_top_k', [null, 9, 10, 1000, 1001], [100, 10, 10, 1000, 1000]],
    ['rrf_k', [null, 0, 1, 1000, 1001], [60, 1, 1, 1000, 1000]],
  ] as const)('keeps %s within its bounds', { tags: ['MS-036', 'MS-045', 'MS-046', 'MS-053', 'MS-054'] }, (field, given, kept) => {
    expect(given.map((value) => normal({ [field]: value })[field])).toEqual(kept);
  });

  it('has closed sets of words', { tags: ['MS-006', 'MS-022', 'MS-023', 'MS-024', 'MS-058'] }, () => {
    const words = {
      mode: ['lexical', 'semantic', 'hybrid', 'hybrid_rerank'],
      doc_kind: ['message', 'agent', 'project'],
      direction: ['inbox', 'outbox'],
      ranking: ['relevance', 'recency'],
    };
    expect({ mode: SearchMode.options, doc_kind: DocKind.options, direction: Direction.options, ranking: RankingMode.options }).toEqual(words);
    expect(Importance.options).toEqual(['low', 'normal', 'high', 'urgent']);
    for (const [field, known] of Object.entries(words)) {
      for (const word of known) expect(SearchQuery.safeParse({ text: '', [field]: word }).success).toBe(true);
      for (const word of ['Lexical', 'thread', '', 1]) expect(SearchQuery.safeParse({ text: '', [field]: word }).success).toBe(false);
    }
    expect(SearchQuery.safeParse({ text: '', importance: ['low', 'normal', 'high', 'urgent'] }).success).toBe(true);
    expect(SearchQuery.safeParse({ text: '', importance: ['meh'] }).success).toBe(false);
  });

  it('takes null for absence where version 2 had an option, and whole numbers that JSON can hold', () => {
    const nulls = Object.fromEntries(
      ['project_id', 'product_id', 'direction', 'agent_name', 'thread_id', 'limit', 'cursor', 'redaction', 'min_score'].map((field) => [field, null]),
    );
    expect(normal(nulls)).toEqual(normal({}));
    for (const project_id of [2 ** 53, 1.5, '1']) expect(SearchQuery.safeParse({ text: '', project_id }).success).toBe(false);
  });

  it('has no threshold where min_score is zero or less', () => {
    expect([0, -1, 0.5].map((min_score) => normal({ min_score }).min_score)).toEqual([null, null, 0.5]);
  });

  it('redacts only with one of the three flags', () => {
    expect(normal({ redaction: { placeholder: 'x' } }).redaction).toBeNull();
    expect(normal({ redaction: { redact_thread_ids: true } }).redaction).toEqual({ body: false, names: false, threads: true, placeholder: '[redacted]' });
  });
});
