import path from 'node:path';
import { SearchQuery, SearchResponse } from '../../../../src/contracts/index.ts';
import { fillMailbox } from '../../../integration/messages/mailbox.ts';
import { fuzzedSearches } from '../../message-fuzz-searches.ts';
import { type Boundary, FuzzFault, parsed, shown } from '../boundary.ts';
import { scratch } from '../scratch.ts';

/** Queries of message search on a real store; `message-fuzz` has a million made from the grammar. */
export const messages: Boundary = {
  shape: 'json',
  what: 'queries of message search, on a store',
  weight: 0.3,
  boundMs: 5000,
  async open() {
    const { home, remove } = scratch('messages');
    const file = path.join(home, 'messages.sqlite');
    await fillMailbox(file);
    const searches = fuzzedSearches(file);
    return {
      seeds: [
        { text: 'plan', limit: 5, explain: true },
        {
          text: '"exact words" -not NEAR(a b, 3) subject:x',
          importance: ['high'],
          ranking: 'recency',
          thread_id: 'x',
          time_range: { min_ts: 0, max_ts: 1e15 },
        },
        {
          text: 'from:Alice migration*',
          doc_kind: 'agent',
          project_id: 1,
          scope: { caller_scoped: { caller_agent: 'GreenHill' } },
          redaction: { redact_body: true },
        },
        { text: 'plan', cursor: 's3ff0000000000000:i1', mode: 'lexical', offset: 3 },
      ].map((one) => JSON.stringify(one)),
      words: [...Object.keys(SearchQuery.shape), '"', '*', 'NEAR(', 'OR', 'AND', 'NOT', '(', ')', '^', ':', 'body:', '{a b}:'],
      async run(input) {
        const read = SearchQuery.safeParse(parsed(input));
        if (!read.success) return 'refused';
        const answer = SearchResponse.safeParse(await searches.working.search(read.data, null));
        if (!answer.success) throw new FuzzFault(`no answer of the contract: ${answer.error.message}`);
        shown(JSON.stringify(answer.data));
        return 'ok';
      },
      close() {
        searches.close();
        remove();
      },
    };
  },
};
