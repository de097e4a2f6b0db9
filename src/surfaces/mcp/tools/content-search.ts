import { ContentSearchAnswer, ContentSearchRequest, SEARCH_TOOL_ALIASES, SEARCH_TOOL_NAME, SEARCH_TOOL_SILENT_ALIASES } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { judgingTool, LOOKS_ONLY } from '../tool.ts';

export const search = judgingTool({
  name: SEARCH_TOOL_NAME,
  aliases: [...SEARCH_TOOL_ALIASES, ...SEARCH_TOOL_SILENT_ALIASES],
  title: 'Search the contents of files',
  description:
    'Finds lines that match a pattern, in the allowed roots of this server, in the order of path and line. Hidden files and those that ignore files name are ' +
    `left out unless asked for. Also reached as ${SEARCH_TOOL_ALIASES.join(', ')}.`,
  access: ['search'],
  annotations: LOOKS_ONLY,
  input: ContentSearchRequest,
  output: ContentSearchAnswer,
  async judge({ input, services, signal }) {
    const door = await services.contentSearch();
    if (door.refusal !== undefined) throw new WritError('SEARCH_NOT_ALLOWED', door.refusal);
    const found = await door.search(input, signal);
    if (found.ok) return found.answer;
    const { code, field, message } = found.error;
    throw new WritError(code, message, field === undefined ? {} : { field });
  },
});
