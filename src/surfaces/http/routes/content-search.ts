import { ContentSearchAnswer, ContentSearchRequest } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { route } from '../route.ts';

export const searchContents = route({
  method: 'POST',
  path: '/v1/search',
  operation: 'searchContents',
  summary: 'Search the contents of files',
  description:
    'The `Search` tool in the allowed roots of this server, in the order of path and line. What is wrong with the request is a `BadArgs` problem with the field; ' +
    'what cannot be done is `ExecutionFailed`. A search whose time is up or whose limit is reached is an answer too (`timed_out`, `truncated`). ' +
    'It ends when the client goes away.',
  tag: 'search',
  access: ['search'],
  body: ContentSearchRequest,
  judgesBody: true,
  responses: { 200: { description: 'What was found, also when that is nothing.', schema: ContentSearchAnswer } },
  problems: ['BadArgs', 'ExecutionFailed', 'SEARCH_NOT_ALLOWED'],
  async handle({ request, services: { contentSearch }, signal }) {
    if (contentSearch.refusal !== undefined) throw new WritError('SEARCH_NOT_ALLOWED', contentSearch.refusal);
    const found = await contentSearch.search(request.body, signal);
    if (found.ok) return { status: 200, body: found.answer, headers: NOT_KEPT };
    const { code, field, message } = found.error;
    throw new WritError(code, message, field === undefined ? {} : { field });
  },
});

/** What files hold is nobody else's business, and changes. */
const NOT_KEPT = { 'cache-control': 'no-store' };
