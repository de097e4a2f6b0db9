import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SearchMessagesOutput, SearchMessagesProductOutput, SearchQuery } from '../../../../../src/contracts/index.ts';
import { A_MESSAGE, type MessageSearchTwin, messageSearchTwin } from '../../../../support/message-search-twin.ts';
import { startMcp, type Told } from '../mcp-rig.ts';

const PROJECT = { project_key: 'backend', query: 'plan' };
const PRODUCT = { product_key: 'suite', query: 'plan' };
/** Names of one argument, as the specification has them (message-search.md 6.1, 6.2). */
const ALIASES = {
  sender: ['sender', 'from_agent', 'sender_name'],
  date_start: ['date_start', 'date_from', 'after', 'since'],
  date_end: ['date_end', 'date_to', 'before', 'until'],
  project: ['project', 'project_key_filter', 'project_slug', 'proj'],
};
/** `A_MESSAGE` as the tools answer it. */
const A_ROW = {
  id: 7,
  subject: 'Plan',
  importance: 'high',
  ack_required: 1,
  created_ts: '2026-01-01T00:00:00.123456Z',
  thread_id: null,
  from: 'BlueLake',
  to: ['GreenHill', 'RedFox'],
  cc: [],
};
const DAY_START = Date.parse('2026-01-02T00:00:00Z') * 1000;
const DAY_END = DAY_START + 86_400_000_000 - 1;

/** The query that the service was asked for by one call of search_messages. */
async function askedBy(args: object, tool = 'search_messages'): Promise<SearchQuery> {
  const { told, search } = await call(args, tool);
  expect(told, JSON.stringify(told.answer)).toMatchObject({ isError: false });
  expect(search.asked).toHaveLength(1);
  const [query] = search.asked;
  return SearchQuery.parse(query);
}

async function call(args: object, tool = 'search_messages'): Promise<{ told: Told; search: MessageSearchTwin }> {
  const search = messageSearchTwin();
  await using mcp = await startMcp({ messageSearch: async () => search });
  return { told: await mcp.call(tool, { ...(tool === 'search_messages' ? PROJECT : PRODUCT), ...args }), search };
}

const refused = (code: string, field: string) => ({ isError: true, answer: { code, field, message: expect.stringContaining(field) } });

describe('search_messages', () => {
  it('needs project_key and query, and searches that project', { tags: ['MS-106'] }, async () => {
    expect(await askedBy({})).toMatchObject({ text: 'plan', project_id: 1 });
    await using mcp = await startMcp({ messageSearch: async () => messageSearchTwin() });
    expect(await mcp.call('search_messages', { query: 'x' })).toMatchObject(refused('INVALID_ARGUMENT', 'project_key'));
    expect(await mcp.call('search_messages', { project_key: 'backend' })).toMatchObject(refused('INVALID_ARGUMENT', 'query'));
    expect(await mcp.call('search_messages', { ...PROJECT, project_key: 'nowhere' })).toMatchObject(refused('NOT_FOUND', 'project_key'));
  });

  it.each([
    [undefined, 20],
    [0, 20],
    [-5, 20],
    [1, 1],
    [1000, 1000],
    [1001, 1000],
  ])('takes limit %j as %j', { tags: ['MS-107'] }, async (limit, is) => {
    expect((await askedBy({ limit })).limit).toBe(is);
  });

  it('takes an offset from 0, ignores it beside a cursor, and refuses a window that reaches too far', { tags: ['MS-108'] }, async () => {
    expect((await askedBy({})).offset).toBe(0);
    expect((await askedBy({ offset: -3 })).offset).toBe(0);
    expect((await askedBy({ offset: 2 })).offset).toBe(2);
    const paged = await askedBy({ offset: 9999, cursor: ' s3ff0000000000000:i7:efts5 ' });
    expect(paged).toMatchObject({ cursor: 's3ff0000000000000:i7:efts5' });
    expect(paged.offset).toBeUndefined();
    expect((await call({ offset: 4981 })).told).toMatchObject(refused('INVALID_ARGUMENT', 'offset'));
    expect((await askedBy({ offset: 4980 })).offset).toBe(4980);
  });

  it.each([
    ['relevance', 'relevance'],
    ['BM25', 'relevance'],
    [' Recency ', 'recency'],
    ['recent', 'recency'],
    ['', undefined],
    [null, undefined],
  ])('takes the ranking %j as %j', { tags: ['MS-109'] }, async (ranking, is) => {
    expect((await askedBy({ ranking })).ranking).toBe(is);
  });

  it.each(ALIASES.sender)('takes the sender as %s', { tags: ['MS-110'] }, async (name) => {
    expect((await askedBy({ [name]: ' BlueLake ' })).sender_name).toBe('BlueLake');
  });

  it('takes importance as a list without regard to case, blanks and doubles', { tags: ['MS-111'] }, async () => {
    expect((await askedBy({ importance: ' Urgent,, high ,urgent' })).importance?.toSorted()).toEqual(['high', 'urgent']);
    expect((await askedBy({ importance: ' , ' })).importance).toBeUndefined();
    expect((await call({ importance: 'high,critical' })).told).toMatchObject(refused('INVALID_ARGUMENT', 'importance'));
  });

  it('takes a thread, and no blank one', { tags: ['MS-112'] }, async () => {
    expect((await askedBy({ thread_id: 'br-42' })).thread_id).toBe('br-42');
    expect((await askedBy({ thread_id: '  ' })).thread_id).toBeUndefined();
  });

  it.each(ALIASES.date_start)('takes the start as %s: of a day its first microsecond in UTC', { tags: ['MS-113', 'MS-119'] }, async (name) => {
    expect((await askedBy({ [name]: '2026-01-02' })).time_range).toEqual({ min_ts: DAY_START });
  });

  it.each(ALIASES.date_end)('takes the end as %s: of a day its last microsecond in UTC', { tags: ['MS-114', 'MS-119', 'MS-120'] }, async (name) => {
    expect((await askedBy({ [name]: '2026-01-02' })).time_range).toEqual({ max_ts: DAY_END });
  });

  it.each([
    ['2026-01-02T00:00:00Z', DAY_START],
    ['2026-01-02T01:30:00+01:30', DAY_START],
    ['2026-01-02T00:00', DAY_START],
    ['2026-01-02 00:00:00', DAY_START],
    ['2026-01-02T00:00:00.000001Z', DAY_START + 1],
  ])('reads the moment %s', async (since, us) => {
    expect((await askedBy({ since })).time_range).toEqual({ min_ts: us });
  });

  it.each([
    [{ sender: 'A', from_agent: 'B' }, 'from_agent'],
    [{ from_agent: 'A', sender_name: 'AB' }, 'sender_name'],
    [{ date_start: '2026-01-02', since: '2026-01-03' }, 'since'],
    [{ date_end: '2026-01-02', until: '2026-01-02T12:00:00Z' }, 'until'],
    [{ after: '2026-01-03', before: '2026-01-02' }, 'after'],
    [{ since: 'yesterday' }, 'since'],
    [{ until: '2026-02-30' }, 'until'],
    [{ ranking: 'newest' }, 'ranking'],
    [{ limit: '3' }, 'limit'],
    [{ explain: 'yes' }, 'explain'],
    [{ mode: 'magic' }, 'mode'],
    [{ sender: 'x'.repeat(1025) }, 'sender'],
  ])('refuses %j by the name of the argument', async (args, field) => {
    const { told, search } = await call(args);
    expect(told).toMatchObject(refused('INVALID_ARGUMENT', field));
    expect(search.asked).toEqual([]);
  });

  it('takes aliases that agree: texts in any case, dates of the same instant, blank ones as absent', async () => {
    expect((await askedBy({ sender: 'BlueLake', from_agent: 'BLUELAKE', sender_name: ' ' })).sender_name).toBe('BlueLake');
    expect((await askedBy({ since: '2026-01-02', after: '2026-01-02T01:00:00+01:00' })).time_range).toEqual({ min_ts: DAY_START });
  });

  it('hands the options of V3 on, and knows no defaults of its own for them', { tags: ['MS-002', 'MS-170'] }, async () => {
    const more = { mode: 'hybrid_rerank', recipient_name: 'RedFox', ack_required: false, min_score: 0.5, rerank_top_k: 5, rrf_k: 10 } as const;
    expect(await askedBy(more)).toMatchObject(more);
    expect(Object.keys(await askedBy({})).toSorted()).toEqual(['limit', 'offset', 'project_id', 'text']);
  });

  it('answers rows in their shape, and what stands beside them only where there is something', { tags: ['MS-115', 'MS-116', 'MS-117', 'MS-118'] }, async () => {
    const search = messageSearchTwin();
    await using mcp = await startMcp({ messageSearch: async () => search });
    expect((await mcp.call('search_messages', PROJECT)).answer).toEqual({
      result: [A_ROW],
    });
    search.response = {
      results: [{ ...A_MESSAGE, reason_codes: ['lexical_bm25'], score_factors: [{ key: 'bm25', contribution: 2, summary: 'words' }] }],
      next_cursor: 's0:i7:efts5',
      assistance: { query_text: 'plan', applied_filter_hints: [{ field: 'from', value: 'x' }] },
      diagnostics: { degraded: true, fallback_mode: 'mode_downgrade' },
    };
    const { answer } = await mcp.call('search_messages', PROJECT);
    const read = SearchMessagesOutput.parse(answer);
    expect(read).toEqual(answer);
    expect(Object.keys(read)).toEqual(expect.arrayContaining(['assistance', 'next_cursor', 'diagnostics']));
    expect(read.result[0]).toMatchObject({ reason_codes: ['lexical_bm25'], score_factors: [{ key: 'bm25' }] });
  });

  it('never says NOT_FOUND of a place that nobody could look up: the answer is degraded', { tags: ['MS-118', 'MS-157'] }, async () => {
    const search = messageSearchTwin();
    search.broken = { ok: false, error: { kind: 'engine_error', message: 'the disk is gone' } };
    await using mcp = await startMcp({ messageSearch: async () => search });
    for (const [tool, args] of [
      ['search_messages', PROJECT],
      ['search_messages_product', PRODUCT],
    ] as const) {
      const degraded = { isError: false, answer: { result: [], diagnostics: { degraded: true, search_index_reason: 'the disk is gone' } } };
      expect(await mcp.call(tool, args)).toMatchObject(degraded);
    }
    expect(search.asked).toEqual([]);
  });

  it('answers a blank query with nothing, before it looks at anything else', async () => {
    const { told, search } = await call({ query: '  ', project_key: 'nowhere', importance: 'x', since: 'x' });
    expect(told).toEqual({ isError: false, answer: { result: [] } });
    expect(search.asked).toEqual([]);
  });
});

describe('search_messages_product', () => {
  it('needs product_key and query, and searches all projects of the product', { tags: ['MS-121'] }, async () => {
    const query = await askedBy({}, 'search_messages_product');
    expect(query).toMatchObject({ text: 'plan', product_id: 9, limit: 20 });
    expect(query.project_id).toBeUndefined();
    expect((await call({ product_key: undefined }, 'search_messages_product')).told).toMatchObject(refused('INVALID_ARGUMENT', 'product_key'));
    expect((await call({ product_key: 'none' }, 'search_messages_product')).told).toMatchObject(refused('NOT_FOUND', 'product_key'));
  });

  it.each(ALIASES.project)('narrows to one of its projects by %s', { tags: ['MS-122'] }, async (name) => {
    expect(await askedBy({ [name]: 'frontend' }, 'search_messages_product')).toMatchObject({ project_id: 2 });
    expect((await call({ [name]: 'other' }, 'search_messages_product')).told).toMatchObject(refused('NOT_FOUND', name));
    expect((await call({ [name]: 'nowhere' }, 'search_messages_product')).told).toMatchObject(refused('NOT_FOUND', name));
  });

  it('refuses two projects that differ', async () => {
    const { told } = await call({ project: 'frontend', proj: 'backend' }, 'search_messages_product');
    expect(told).toMatchObject(refused('INVALID_ARGUMENT', 'proj'));
  });

  it('takes the filters of search_messages under all their names', { tags: ['MS-123'] }, async () => {
    const filters = { from_agent: 'A', importance: 'low', thread_id: 't', since: '2026-01-02', until: '2026-01-02' };
    expect(await askedBy(filters, 'search_messages_product')).toMatchObject({
      sender_name: 'A',
      importance: ['low'],
      thread_id: 't',
      time_range: { min_ts: DAY_START, max_ts: DAY_END },
    });
  });

  it('answers rows with their project', { tags: ['MS-116', 'MS-124'] }, async () => {
    const full = { thread_id: 'T-1', cc: ['Ann'], bcc: ['Bob'], reason_codes: ['lexical_bm25' as const] };
    const beside = { assistance: { query_text: 'plan', applied_filter_hints: [] }, diagnostics: { degraded: true, fallback_mode: 'mode_downgrade' as const } };
    const search = messageSearchTwin({ results: [{ ...A_MESSAGE, ...full, project_id: 2 }, A_MESSAGE], ...beside });
    await using mcp = await startMcp({ messageSearch: async () => search });
    const { answer } = await mcp.call('search_messages_product', PRODUCT);
    expect(SearchMessagesProductOutput.parse(answer)).toEqual({
      result: [
        { ...A_ROW, ...full, project_id: 2 },
        { ...A_ROW, project_id: 1 },
      ],
      ...beside,
    });
    expect((await mcp.call('search_messages', PROJECT)).answer).toEqual({ result: [{ ...A_ROW, ...full }, A_ROW], ...beside });
  });
});

describe('whatever arguments come', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom('', ' ', '2026-01-01', '2026-13-01', 'high', 'A', 'recency', 's0:i1'));
  const value = fc.oneof({ weight: 4, arbitrary: text }, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.array(text, { maxLength: 2 }));
  const names = [
    ...Object.values(ALIASES).flat(),
    'limit',
    'offset',
    'cursor',
    'ranking',
    'importance',
    'thread_id',
    'explain',
    'mode',
    'min_score',
    'rrf_k',
    '__x',
  ];
  const args = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 5 });

  it('they are refused by INVALID_ARGUMENT or NOT_FOUND with a field, or become a query that the contract takes', async () => {
    const search = messageSearchTwin();
    await using mcp = await startMcp({ messageSearch: async () => search });
    const keys = fc.constantFrom('backend', 'suite', '', ' ', 'x');
    await fc.assert(
      fc.asyncProperty(args, keys, text, fc.constantFrom('search_messages', 'search_messages_product'), async (given, key, query, tool) => {
        search.asked.length = 0;
        const { isError, answer } = await mcp.call(tool, { project_key: key, product_key: key, query, ...given });
        if (isError) {
          expect(answer).toMatchObject({ code: expect.stringMatching(/^(INVALID_ARGUMENT|NOT_FOUND)$/), field: expect.any(String) });
        } else for (const asked of search.asked) expect(SearchQuery.safeParse(asked).error).toBeUndefined();
      }),
      { numRuns: 300 },
    );
    expect(mcp.reported).toEqual([]);
  });
});
