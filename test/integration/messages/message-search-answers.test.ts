import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchQuery } from '../../../src/contracts/index.ts';
import { T } from '../../support/mailbox-small.ts';
import { searchOver } from '../../support/search-service.ts';
import { type SmallSearch, searchInSmallMailbox } from '../../support/small-search.ts';

let search: SmallSearch;
beforeAll(() => {
  search = searchInSmallMailbox();
});
afterAll(() => search.remove());

const ask = (query: Partial<SearchQuery>, viewer: { project_id: number; agent_id: number } | null = null) => search.search({ text: 'plan', ...query }, viewer);
const ids = async (query: Partial<SearchQuery>, viewer: { project_id: number; agent_id: number } | null = null) =>
  (await ask({ ranking: 'recency', ...query }, viewer)).results.map(({ id }) => id);
const as = (caller_agent: string) => ({ scope: { caller_scoped: { caller_agent } } });

describe('filters by name', () => {
  it.each(['Ada', 'bob', 'EVE', 'Nobody'])('find the same of %s by sender_name as by agent_name and outbox', { tags: ['MS-143'] }, async (name) => {
    for (const text of ['', 'plan']) {
      const bySender = await ids({ text, sender_name: name });
      expect(bySender).toEqual(await ids({ text, agent_name: name, direction: 'outbox' }));
      expect(bySender.length > 0).toBe(name !== 'Nobody');
    }
  });
});

describe('what may be seen', () => {
  it('is for a caller: own mail, mail of contacts, and open mail of own and linked projects', { tags: ['MS-039', 'MS-091'] }, async () => {
    expect(await ids(as('Ada'))).toEqual([5, 4, 3, 1]);
    expect(await ids(as('Bob'))).toEqual([4, 3, 2, 1]);
    expect(await ids(as('Nobody'))).toEqual([]);
    expect(await ids({}, { project_id: 1, agent_id: 1 })).toEqual([5, 4, 3, 1]);
    expect(await ids(as('Ada'), { project_id: 1, agent_id: 2 })).toEqual([4, 3, 1]);
    expect((await ask({ ...as('Ada'), explain: true })).explain).toMatchObject({ denied_count: 1, matched_count: 4, scope_policy: 'caller_scoped:Ada' });
  });

  it('is nothing for an empty set of projects, and for a product without projects', async () => {
    expect(await ids({ scope: { project_set: { allowed_project_ids: [] } } })).toEqual([]);
    expect(await ids({ scope: { project_set: { allowed_project_ids: [2, 9] } } })).toEqual([4]);
    expect(await ids({ product_id: 9 })).toEqual([]);
  });

  it('moves no score: what is hidden does not count as best or worst', async () => {
    const { results } = await ask({ ...as('Eve') });
    expect(results.map(({ id, score }) => [id, score])).toEqual([
      [1, 1],
      [4, 0],
    ]);
  });

  it('does not say who is in Bcc, but to the sender and to themselves', { tags: ['MS-138'] }, async () => {
    expect(await ids({ recipient_name: 'Bob' })).toEqual([4, 1]);
    expect(await ids({ recipient_name: 'Bob', ...as('Bob') })).toEqual([4, 1]);
    expect(await ids({ recipient_name: 'Bob', ...as('Eve') })).toEqual([4, 1]);
    expect(await ids({ recipient_name: 'Bob', ...as('Ada') })).toEqual([1]);
    expect(await ids({ text: '', agent_name: 'Bob', direction: 'inbox' }, { project_id: 1, agent_id: 1 })).toEqual([1]);
  });

  it('shows the rest redacted when the query asks for that, and tells an operator why', { tags: ['MS-040', 'MS-092'] }, async () => {
    const query = {
      ...as('Ada'),
      redaction: { redact_body: true, redact_agent_names: true, redact_thread_ids: true, placeholder: '-' },
      ranking: 'recency' as const,
      explain: true,
    };
    const answer = await ask(query);
    expect(answer.results.map(({ id }) => id)).toEqual([5, 4, 3, 2, 1]);
    expect(answer.results[3]).toEqual({
      doc_kind: 'message',
      id: 2,
      project_id: 1,
      title: '-',
      body: '-',
      from_agent: '-',
      importance: 'urgent',
      ack_required: false,
      created_ts: T + 2,
      reason_codes: ['scope_redacted'],
      redacted: true,
      redaction_reason: '-',
    });
    expect(answer.audit).toEqual([
      { action: 'redacted', doc_kind: 'message', doc_id: 2, project_id: 1, reason: 'contacts_only_denied', policy: 'caller_scoped:Ada' },
    ]);
    expect(answer.explain).toMatchObject({ redacted_count: 1, denied_count: 1 });
    expect((await ask(query, { project_id: 1, agent_id: 1 })).audit).toBeUndefined();
    expect(await ask({ ...query, redaction: { redact_body: true } })).toMatchObject({ results: { 3: { id: 2, to: [], cc: [] }, 4: { to: ['Bob'] } } });
  });

  it('tells an operator what a scope left out, once and never a restricted viewer', { tags: ['MS-040', 'MS-091'] }, async () => {
    const denied = (doc_id: number, reason: string) => ({ action: 'denied', doc_kind: 'message', doc_id, project_id: 1, reason, policy: 'caller_scoped:Ada' });
    for (const text of ['plan', '', "plan's"]) {
      const query = { ...as('Ada'), text, ranking: 'recency' as const, time_range: { max_ts: T + 5 }, limit: 2 };
      const first = await ask(query);
      expect(first.audit).toEqual([denied(2, 'contacts_only_denied')]);
      expect((await ask({ ...query, cursor: first.next_cursor ?? null })).audit).toBeUndefined();
      expect((await ask(query, { project_id: 1, agent_id: 1 })).audit).toBeUndefined();
    }
    expect((await ask({})).audit).toBeUndefined();
    expect((await ask({ ...as('Ada'), doc_kind: 'agent', text: 'tests' })).audit).toBeUndefined();
  });

  it('names recipients, Bcc to those who may know of it', { tags: ['MS-138'] }, async () => {
    const seen = async (query: Partial<SearchQuery>) =>
      Object.fromEntries((await ask({ ranking: 'recency', ...query })).results.map(({ id, to, cc, bcc }) => [id, [to, cc, bcc]]));
    expect(await seen({})).toMatchObject({ 1: [['Bob'], [], undefined], 3: [[], ['Ada'], undefined], 4: [[], [], ['Bob']], 5: [[], [], undefined] });
    for (const name of ['Bob', 'Eve']) expect(await seen(as(name))).toMatchObject({ 4: [[], [], ['Bob']] });
    expect(await seen(as('Ada'))).toMatchObject({ 4: [[], [], undefined] });
    expect((await ask({ doc_kind: 'project', text: 'app' })).results[0]).not.toHaveProperty('to');
  });

  it('shows raw scores only to those who may see everything', { tags: ['MS-061', 'MS-070'] }, async () => {
    const raw = (await ask({ explain: true })).results.map(({ raw_score }) => raw_score ?? 0);
    expect(raw).toHaveLength(5);
    expect(raw.every((score, index) => score < 0 && score >= (raw[index - 1] ?? score))).toBe(true);
    expect((await ask({ explain: true, ...as('Ada') })).results[0]).not.toHaveProperty('raw_score');
    expect((await ask({})).results[0]).not.toHaveProperty('raw_score');
  });
});

describe('statements', () => {
  it('have every value of a query as a parameter', { tags: ['MS-089'] }, async () => {
    const sqlOf = async (word: string, n: number) => {
      const query = {
        text: word,
        project_id: n,
        importance: ['low' as const],
        thread_id: word,
        agent_name: word,
        sender_name: word,
        recipient_name: word,
        min_score: n / 10,
      };
      const more = {
        time_range: { min_ts: n, max_ts: n },
        ack_required: n === 1,
        scope: { caller_scoped: { caller_agent: word } },
        limit: n,
        offset: n,
        explain: true,
      };
      return (await ask({ ...query, ...more }, { project_id: n, agent_id: n })).explain?.sql;
    };
    expect(await sqlOf('plan', 1)).toBe(await sqlOf('zulu', 7));
    expect(await sqlOf('plan', 1)).not.toContain('plan');
    expect(await sqlOf('plan', 1)).toMatch(/^(?:SELECT|WITH) .* MATCH \? .* m\.thread_id = \? /);
  });
});

describe('other kinds', () => {
  it('are found by name and task, key and slug, and know no filters of messages', { tags: ['MS-057', 'MS-129', 'MS-144'] }, async () => {
    const agents = await ask({ text: 'plans OR tests', doc_kind: 'agent', thread_id: 'x', sender_name: 'y', importance: ['low'], explain: true });
    expect(agents.results.map(({ id, title, body, project_id }) => [id, title, body, project_id])).toEqual([
      [2, 'Bob', 'tests', 1],
      [1, 'Ada', 'plans builds', 1],
    ]);
    expect(agents.explain?.facets_applied).toEqual([]);
    expect((await ask({ text: 'draws', doc_kind: 'agent', project_id: 1 })).results).toEqual([]);
    expect((await ask({ text: 'web', doc_kind: 'project' })).results).toMatchObject([{ id: 2, title: 'web', body: '/srv/web', project_id: 2, score: 1 }]);
    expect((await ask({ text: 'srv', doc_kind: 'project', project_id: 3 })).results.map(({ id }) => id)).toEqual([3]);
    expect((await ask({ text: 'srv/', doc_kind: 'project' })).results.map(({ id }) => id)).toEqual([1, 2, 3]);
  });
});

describe('explain', () => {
  it('has every member of the specification, and is left out otherwise', {
    tags: ['MS-015', 'MS-038', 'MS-084', 'MS-085', 'MS-086', 'MS-089', 'MS-093', 'MS-094', 'MS-095', 'MS-096', 'MS-098', 'MS-099', 'MS-100', 'MS-101'],
  }, async () => {
    const { explain, diagnostics } = await ask({ explain: true });
    expect(explain).toEqual({
      method: 'fts5',
      normalized_query: 'plan',
      used_like_fallback: false,
      facet_count: 0,
      facets_applied: [],
      sql: expect.stringContaining('MATCH ?'),
      scope_policy: 'unrestricted',
      denied_count: 0,
      redacted_count: 0,
      requested_mode: 'lexical',
      actual_mode: 'lexical',
      engine: 'fts5',
      mode_downgraded: false,
      timing: { total_us: expect.any(Number), lexical_us: expect.any(Number) },
      cursor_invalidated: false,
      matched_count: 5,
    });
    expect(diagnostics).toBeUndefined();
    expect(await ask({})).not.toHaveProperty('explain');
  });

  it('says that words were looked for in the tables, and why', { tags: ['MS-050', 'MS-085', 'MS-086', 'MS-089', 'MS-126'] }, async () => {
    const answer = await ask({ text: "plan's", explain: true });
    expect(answer.explain).toMatchObject({
      method: 'like_fallback',
      normalized_query: null,
      used_like_fallback: true,
      sql: expect.stringMatching(/^SELECT .*\bLIKE \?/),
      notes: [expect.stringContaining('invalid_query: fts5')],
    });
    expect((await ask({ text: 'plan @' })).results.map(({ id }) => id)).toEqual([5, 4, 3, 2, 1]);
    expect(await ask({ text: 'plan @' })).toMatchObject({ diagnostics: { degraded: true, fallback_mode: 'like_fallback' } });
  });

  it('says that a query says nothing', { tags: ['MS-049', 'MS-153', 'MS-158'] }, async () => {
    for (const text of ['', ' ', '***', 'AND']) {
      const answer = await ask({ text, explain: true });
      expect(answer).toMatchObject({
        results: [],
        explain: { method: 'empty', sql: '', notes: [expect.stringContaining('invalid_query')] },
        guidance: { summary: expect.any(String) },
      });
    }
  });

  it('says what a mode fell back to, the same each time', {
    tags: ['MS-015', 'MS-052', 'MS-096', 'MS-097', 'MS-118', 'MS-125', 'MS-149', 'MS-156', 'MS-161'],
  }, async () => {
    const first = await ask({ mode: 'hybrid_rerank', explain: true });
    expect(first.explain).toMatchObject({
      requested_mode: 'hybrid_rerank',
      actual_mode: 'lexical',
      engine: 'fts5',
      mode_downgraded: true,
      downgrade_reason: 'hybrid_rerank: there is no reranker; hybrid: there are no vectors',
    });
    expect(first.results).toHaveLength(5);
    expect(search.events).toContainEqual({
      event: 'search.mode.downgrade',
      requested: 'hybrid_rerank',
      actual: 'lexical',
      reason: first.explain?.downgrade_reason,
    });
    expect((await ask({ mode: 'hybrid_rerank' })).diagnostics).toEqual(first.diagnostics);
    expect(first.diagnostics).toMatchObject({ degraded: true, fallback_mode: 'mode_downgrade' });
  });

  it('keeps to FTS5 under the kill switch', { tags: ['MS-016', 'MS-017'] }, async () => {
    const held = searchOver(search.file, { killSwitch: 'fts5' });
    const answer = await held.search({ text: 'plan', mode: 'semantic', explain: true }, null);
    held.close();
    expect(answer.explain).toMatchObject({ engine: 'fts5', mode_downgraded: true, downgrade_reason: 'SEARCH_ENGINE is fts5' });
  });
});

describe('cursors', () => {
  it('of another engine, or that mean nothing, begin at the front, and explain says so', { tags: ['MS-078', 'MS-082', 'MS-151'] }, async () => {
    const foreign = await ask({ cursor: 's3fe8000000000000:i1:etantivy', explain: true });
    expect(foreign).toMatchObject({ explain: { cursor_invalidated: true, notes: [expect.stringContaining('another engine')] } });
    expect(foreign.results).toHaveLength(5);
    expect(search.events).toContainEqual({ event: 'search.cursor.invalidated', cursor_engine: 'tantivy', current_engine: 'fts5' });
    // Also where nobody asks for an explanation.
    expect((await ask({ cursor: 's3fe8000000000000:i1:ehybrid' })).results).toHaveLength(5);
    expect(search.events).toContainEqual({ event: 'search.cursor.invalidated', cursor_engine: 'hybrid', current_engine: 'fts5' });
    for (const cursor of ['garbage', 's0:i1:elucene', '', 's0']) expect((await ask({ cursor })).results).toHaveLength(5);
    const lost = await ask({ cursor: 'sc008000000000000:i99', explain: true });
    expect(lost).toMatchObject({ explain: { cursor_invalidated: true } });
    expect(lost.results).toHaveLength(5);
  });

  it('of version 2 go on after their row, whatever their score', { tags: ['MS-002', 'MS-076'] }, async () => {
    const [first, second, ...rest] = (await ask({})).results.map(({ id }) => id);
    expect((await ask({ cursor: `sbff8000000000000:i${second}` })).results.map(({ id }) => id)).toEqual(rest);
    expect((await ask({ cursor: `s0000000000000000:i${first}` })).results.map(({ id }) => id)).toEqual([second, ...rest]);
    expect(await ids({ cursor: 's0:i3' })).toEqual([2, 1]);
  });

  it('win over an offset', async () => {
    const page = await ask({ limit: 2, offset: 1 });
    const next = await ask({ limit: 2, offset: 3, cursor: page.next_cursor ?? null });
    const all = (await ask({})).results.map(({ id }) => id);
    expect([...page.results, ...next.results].map(({ id }) => id)).toEqual(all.slice(1));
  });
});
