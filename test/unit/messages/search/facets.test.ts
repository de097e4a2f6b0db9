import { describe, expect, it } from 'vitest';
import { SearchQuery } from '../../../../src/contracts/index.ts';
import { facetsOf, filtersOf } from '../../../../src/messages/search/facets.ts';
import { normalQuery } from '../../../../src/messages/search/query.ts';
import { scopeOf } from '../../../../src/messages/visibility/scope.ts';

const facets = (query: object) => {
  const asked = normalQuery(SearchQuery.parse({ text: '', ...query }));
  return facetsOf(filtersOf(asked), scopeOf(asked, null), asked, asked.cursor !== null);
};

describe('facets', () => {
  const EVERYTHING = {
    project_id: 1,
    product_id: 2,
    importance: ['low'],
    thread_id: 'x',
    ack_required: true,
    time_range: { min_ts: 1, max_ts: 2 },
    direction: 'inbox',
    agent_name: 'Ada',
    sender_name: 'Bob',
    recipient_name: 'Eve',
    min_score: 0.5,
    cursor: 's0:i1',
    scope: { project_set: { allowed_project_ids: [1, 2] } },
  };

  it('are named in their order, the project before the product', { tags: ['MS-087', 'MS-088', 'MS-142'] }, () => {
    expect(facets(EVERYTHING)).toEqual([
      'project_id',
      'scope_project_set',
      'importance',
      'thread_id',
      'ack_required',
      'time_range_min',
      'time_range_max',
      'direction',
      'cursor',
      'sender_name',
      'recipient_name',
      'min_score',
    ]);
    expect(facets({ product_id: 2, agent_name: 'Ada' })).toEqual(['product_id', 'agent_name']);
    expect(facets({ direction: 'outbox' })).toEqual([]);
  });

  it('know no direction without an agent, whatever else is asked for', { tags: ['MS-030', 'MS-132'] }, () => {
    const { agent_name: _, ...others } = EVERYTHING;
    const direction = (query: object) => filtersOf(normalQuery(SearchQuery.parse({ text: 'plan', ...query }))).direction;
    for (const query of [{}, { project_id: 1 }, { sender_name: 'Bob' }, others]) {
      expect(direction({ ...query, direction: 'inbox' })).toBeNull();
      expect(facets({ ...query, direction: 'outbox' })).not.toContain('direction');
      expect(direction({ ...query, direction: 'inbox', agent_name: 'Ada' })).toBe('inbox');
    }
  });

  it.each(['agent', 'project'])('of messages do not count for the kind %s', { tags: ['MS-144'] }, (doc_kind) => {
    expect(facets({ ...EVERYTHING, doc_kind })).toEqual(['project_id', 'scope_project_set', 'cursor', 'min_score']);
  });
});
