import type { SearchQuery, SearchResponse, SearchResult } from '../../src/contracts/index.ts';
import type { EngineAnswer, MessageSearch } from '../../src/core/ports/index.ts';

/** A message search that keeps what it was asked, and answers what it was told to. */
export interface MessageSearchTwin extends MessageSearch {
  readonly asked: SearchQuery[];
  response: SearchResponse;
  /** Set: no place can be looked up. */
  broken?: EngineAnswer<never>;
}

export const A_MESSAGE: SearchResult = {
  doc_kind: 'message',
  id: 7,
  project_id: 1,
  title: 'Plan',
  body: 'the plan',
  score: 1,
  importance: 'high',
  ack_required: true,
  created_ts: 1_767_225_600_123_456,
  from_agent: 'BlueLake',
  to: ['GreenHill', 'RedFox'],
  cc: [],
  redacted: false,
};

const PROJECTS: ReadonlyMap<string, number> = new Map([
  ['backend', 1],
  ['frontend', 2],
  ['other', 3],
]);

/** Projects `backend` (1), `frontend` (2) and `other` (3); product `suite` has the first two. */
export function messageSearchTwin(response: SearchResponse = { results: [A_MESSAGE] }): MessageSearchTwin {
  const twin: MessageSearchTwin = {
    asked: [],
    response,
    async search(query) {
      twin.asked.push(query);
      return twin.response;
    },
    async project(key) {
      const id = PROJECTS.get(key);
      return twin.broken ?? { ok: true, value: id === undefined ? undefined : { id, name: key } };
    },
    product: async (key) => twin.broken ?? { ok: true, value: key === 'suite' ? { id: 9, name: 'suite', project_ids: [1, 2] } : undefined },
    errorResponse: async (_query, { message }) => ({ results: [], diagnostics: { degraded: true, search_index_reason: message } }),
  };
  return twin;
}
