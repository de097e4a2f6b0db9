import { searchIn } from '../../shared/messages/search-target.ts';
import type { Call } from '../command.ts';
import { type MessagesSearchFlags, placeOf, queryOf } from '../messages/query.ts';
import { besideText, explainText, resultsText } from '../messages/render.ts';

export type { MessagesSearchFlags } from '../messages/query.ts';

/** `writ messages search`: one page of results. Whoever may read the data directory may see every message. */
export async function runMessagesSearch(call: Call, flags: MessagesSearchFlags, words: readonly string[]): Promise<number> {
  const { output } = call;
  const query = queryOf(words, flags);
  const search = await (await call.services()).messageSearch();
  const response = await searchIn(await placeOf(flags, search), query, search);
  const explained = response.explain === undefined ? '' : `\n\n${explainText(response.explain)}`;
  await output.answer(response, () => `${resultsText(response)}${explained}`);
  if (!output.json) for (const line of besideText(response)) output.note(line);
  return 0;
}
