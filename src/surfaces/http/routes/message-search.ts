import { SearchQuery, SearchResponse } from '../../../contracts/index.ts';
import { viewerOf } from '../../shared/messages/viewer.ts';
import { route } from '../route.ts';

export const searchMessages = route({
  method: 'POST',
  path: '/v1/messages/search',
  operation: 'searchMessages',
  summary: 'Search messages, agents and projects',
  description:
    'Full text with filters, in a total order: pages follow each other by `next_cursor`. Whatever fails inside is told in `explain` and `diagnostics`, and the ' +
    'results are what could still be found. A mode that is not there is replaced by the next one. `audit` is for keys with the role `operate`.',
  tag: 'search',
  access: ['search'],
  body: SearchQuery,
  responses: { 200: { description: 'What was found, also when that is nothing.', schema: SearchResponse } },
  problems: ['WRONG_STATE'],
  async handle({ body, caller, services: { messageSearch } }) {
    const { audit, ...response } = await messageSearch.search(body, viewerOf(caller), caller.account);
    const shown = audit !== undefined && caller.roles.has('operate') ? { ...response, audit } : response;
    return { status: 200, body: shown, headers: { 'cache-control': 'no-store' } };
  },
});
