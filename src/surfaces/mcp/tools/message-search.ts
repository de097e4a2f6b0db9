import {
  SearchMessagesInputs,
  SearchMessagesOutput,
  SearchMessagesProductInputs,
  SearchMessagesProductOutput,
  type SearchResponse,
} from '../../../contracts/index.ts';
import type { AskedSearch, MessageSearch } from '../../../core/ports/index.ts';
import { aliasedText, PROJECT } from '../../shared/messages/aliases.ts';
import { inProduct, inProject, type SearchTarget } from '../../shared/messages/search-target.ts';
import { besideRows, productRow, toolRow } from '../../shared/messages/tool-answer.ts';
import { toolQueryOf } from '../../shared/messages/tool-query.ts';
import { viewerOf } from '../../shared/messages/viewer.ts';
import type { McpCaller } from '../services.ts';
import { checkedInput, judgingTool, LOOKS_ONLY } from '../tool.ts';

const HOW =
  'The best match first. Words, "phrases", prefix* and AND, OR, NOT work where they are well formed. A word like from:Alice is not a filter; use the arguments. ' +
  'next_cursor, given back as cursor, goes on.';

export const searchMessages = judgingTool<SearchMessagesOutput>({
  name: 'search_messages',
  title: 'Search the messages of a project',
  description: `Full text of subjects and bodies, with filters. ${HOW}`,
  access: ['search'],
  annotations: LOOKS_ONLY,
  input: SearchMessagesInputs,
  output: SearchMessagesOutput,
  async judge({ input, services, caller }) {
    const inputs = checkedInput(SearchMessagesInputs, withoutNulls(input));
    if (isBlank(inputs)) return { result: [] };
    const query = toolQueryOf(inputs);
    const search = await services.messageSearch();
    const looking = { search, viewer: viewerOf(caller) };
    const response = await searchIn(await inProject(inputs.project_key, 'project_key', looking), query, caller, search);
    return { result: response.results.map(toolRow), ...besideRows(response) };
  },
});

export const searchMessagesProduct = judgingTool<SearchMessagesProductOutput>({
  name: 'search_messages_product',
  title: 'Search the messages of a product',
  description: `Full text of subjects and bodies in all projects of a product, or in one of them. ${HOW}`,
  access: ['search'],
  annotations: LOOKS_ONLY,
  input: SearchMessagesProductInputs,
  output: SearchMessagesProductOutput,
  async judge({ input, services, caller }) {
    const inputs = checkedInput(SearchMessagesProductInputs, withoutNulls(input));
    if (isBlank(inputs)) return { result: [] };
    const query = toolQueryOf(inputs);
    const wanted = aliasedText(PROJECT, inputs);
    const search = await services.messageSearch();
    const looking = { search, viewer: viewerOf(caller) };
    const response = await searchIn(await inProduct(inputs.product_key, 'product_key', looking, wanted), query, caller, search);
    return { result: response.results.map(productRow), ...besideRows(response) };
  },
});

/** The search in its place, for whom the caller's key is bound to. */
function searchIn(target: SearchTarget, query: AskedSearch, caller: McpCaller, search: MessageSearch): Promise<SearchResponse> {
  return target.ok ? search.search({ ...query, ...target.value }, viewerOf(caller), caller.account) : search.errorResponse(query, target.error);
}

/** A query that says nothing finds nothing, whatever else is asked for (search-rules 16). */
function isBlank({ query }: { readonly query: string }): boolean {
  return query.trim() === '';
}

/** Models send null for what they leave out. */
function withoutNulls(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}
