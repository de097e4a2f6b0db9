import {
  type SearchMessagesInputs,
  type SearchMessagesProductInputs,
  type SearchQuery,
  TOOL_LIMIT_DEFAULT,
  TOOL_WINDOW_MAX,
} from '../../../contracts/index.ts';
import type { AskedSearch } from '../../../core/ports/index.ts';
import { aliasedMoment, aliasedText, DATE_END, DATE_START, SENDER } from './aliases.ts';
import { importancesOf, invalid, nameOf, rankingOf, timeRangeOf, wordOf } from './query-values.ts';

type Inputs = SearchMessagesInputs | SearchMessagesProductInputs;

const MAX_LIMIT = 1000;
/** Longer than any token; what is cut off there could not be read anyway. */
const MAX_CURSOR = 1024;

/**
 * The query that the arguments of a tool mean (message-search.md 6.1, 6.2), but for its project.
 *
 * @throws WritError INVALID_ARGUMENT for aliases that differ, dates and words that are none, a start after the end, and a window
 *   beyond TOOL_WINDOW_MAX
 */
export function toolQueryOf(inputs: Inputs): AskedSearch {
  const start = aliasedMoment(DATE_START, inputs, 'start');
  const end = aliasedMoment(DATE_END, inputs, 'end');
  const sender = nameOf(aliasedText(SENDER, inputs));
  const recipient = nameOf(wordOf('recipient_name', inputs.recipient_name));
  const thread = nameOf(wordOf('thread_id', inputs.thread_id));
  const importance = importancesOf(wordOf('importance', inputs.importance));
  const ranking = rankingOf(wordOf('ranking', inputs.ranking));
  const range = timeRangeOf(start, end);
  return {
    text: inputs.query,
    // Rows of the tools have none.
    bodies: false,
    ...windowOf(inputs),
    ...(range === undefined ? {} : { time_range: range }),
    ...(sender === undefined ? {} : { sender_name: sender }),
    ...(recipient === undefined ? {} : { recipient_name: recipient }),
    ...(thread === undefined ? {} : { thread_id: thread }),
    ...(importance.length === 0 ? {} : { importance: [...importance] }),
    ...(ranking === undefined ? {} : { ranking }),
    ...(inputs.ack_required === undefined ? {} : { ack_required: inputs.ack_required }),
    ...(inputs.explain === undefined ? {} : { explain: inputs.explain }),
    ...(inputs.mode === undefined ? {} : { mode: inputs.mode }),
    ...(inputs.min_score === undefined ? {} : { min_score: inputs.min_score }),
    ...(inputs.rerank_top_k === undefined ? {} : { rerank_top_k: Math.max(0, inputs.rerank_top_k) }),
    ...(inputs.snippets === undefined ? {} : { snippets: inputs.snippets }),
    ...(inputs.facets === undefined ? {} : { facets: inputs.facets }),
    ...(inputs.retry === undefined ? {} : { retry: inputs.retry }),
    ...(inputs.rrf_k === undefined ? {} : { rrf_k: Math.max(0, inputs.rrf_k) }),
  };
}

/** A cursor says where the page begins, so that the offset says nothing. */
function windowOf({ limit: wanted, offset: from, cursor }: Inputs): Pick<SearchQuery, 'limit' | 'offset' | 'cursor'> {
  const limit = wanted === undefined || wanted <= 0 ? TOOL_LIMIT_DEFAULT : Math.min(wanted, MAX_LIMIT);
  const token = wordOf('cursor', cursor);
  if (token !== undefined) return { limit, cursor: token.word.slice(0, MAX_CURSOR) };
  const offset = Math.max(0, from ?? 0);
  if (offset + limit > TOOL_WINDOW_MAX) throw invalid('offset', `offset and limit together reach at most ${TOOL_WINDOW_MAX}: go on with the cursor`);
  return { limit, offset };
}
