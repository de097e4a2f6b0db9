import { Option } from 'commander';
import { DOC_KINDS, type DocKind, SEARCH_MODES, type SearchMode, type SearchQuery } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { importancesOf, momentOf, nameOf, rankingOf, timeRangeOf, wordOf } from '../../shared/messages/query-values.ts';
import { inProduct, inProject, type Looking, type SearchTarget } from '../../shared/messages/search-target.ts';
import { viewerOf } from '../../shared/messages/viewer.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { holderOfKey } from '../key-file.ts';
import { parseWhole } from '../text/values.ts';

const MORE = `
Words, "phrases", prefix* and AND, OR, NOT work where they are well formed; anything else is looked for as words. Without words the
filters alone decide. Dates are RFC 3339, or days of UTC.

Examples:
  writ messages search migration plan --project backend
  writ messages search --from BlueLake --since 2026-01-01 --sort recency
  writ messages search 'deploy*' --importance high,urgent --explain`;

export const addMessageSearch: Registrar = (messages, deps, exit) => {
  messages
    .command('search [words...]')
    .description('search messages, agents or projects')
    .option('--project <name>', 'only this project: slug, key or id')
    .option('--product <name>', 'only the projects of this product: uid, name or id')
    .addOption(new Option('--kind <kind>', 'what to search').choices(DOC_KINDS))
    .option('--from <agent>', 'only messages of this agent')
    .option('--to <agent>', 'only messages to this agent (to, cc or bcc)')
    .option('--agent <agent>', 'only messages of or to this agent')
    .option('--thread <id>', 'only this thread')
    .option('--importance <list>', 'only these, separated by commas: low, normal, high, urgent')
    .option('--ack', 'only messages that ask for an acknowledgement')
    .option('--no-ack', 'only messages that ask for none')
    .option('--since <moment>', 'only messages from then on')
    .option('--until <moment>', 'only messages up to then, a day to its end')
    .option('--sort <order>', 'relevance or recency')
    .addOption(new Option('--mode <mode>', 'how to search').choices(SEARCH_MODES))
    .option('--min-score <score>', 'only results with at least this score, 0 to 1')
    .option('--as <agent>', 'only what the agents of this name may see')
    .option('--key <file>', 'search as the holder of this API key: only what it is bound to')
    .option('--limit <n>', 'at most so many results (1 to 1000)', '20')
    .option('--offset <n>', 'leave out so many at the front')
    .option('--cursor <token>', 'go on where a page ended')
    .option('--snippets', 'show where the results have what was looked for')
    .option('--facets', 'count what matches by project, importance and sender')
    .option('--explain', 'say how it was searched')
    .addHelpText('after', MORE)
    .action(command<[readonly string[]], MessagesSearchFlags>(deps, exit, runMessagesSearch));
};

interface MessagesSearchFlags {
  readonly project?: string;
  readonly product?: string;
  readonly kind?: DocKind;
  readonly from?: string;
  readonly to?: string;
  readonly agent?: string;
  readonly thread?: string;
  readonly importance?: string;
  /** False for `--no-ack`. */
  readonly ack?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly sort?: string;
  readonly mode?: SearchMode;
  readonly minScore?: string;
  readonly as?: string;
  readonly key?: string;
  readonly limit: string;
  readonly offset?: string;
  readonly cursor?: string;
  readonly snippets?: boolean;
  readonly facets?: boolean;
  readonly explain?: boolean;
}

/** `writ messages search`: one page of results. Whoever may read the data directory may see every message, and fewer with `--key`. */
async function runMessagesSearch(context: CommandContext, flags: MessagesSearchFlags, words: readonly string[]): Promise<number> {
  const { besideText, explainText, facetsText, resultsText, snippetsText } = await import('../messages/render.ts');
  const { output } = context;
  // A table has none.
  const query = { ...queryOf(words, flags), bodies: output.json };
  const services = await context.services();
  const search = await services.messageSearch();
  const viewer = flags.key === undefined ? null : viewerOf(await holderOfKey(flags.key, services));
  const target = await searchTargetOf(flags, { search, viewer });
  const response = await (target.ok ? search.search({ ...query, ...target.value }, viewer) : search.errorResponse(query, target.error));
  const parts = () => [
    resultsText(response),
    snippetsText(response),
    facetsText(response),
    response.explain === undefined ? '' : explainText(response.explain),
  ];
  await output.answer(response, () =>
    parts()
      .filter((part) => part !== '')
      .join('\n\n'),
  );
  if (!output.json) for (const line of besideText(response)) output.note(line);
  return 0;
}

const MAX_OFFSET = 1_000_000;

/** The query that a command line means, but for its place. Throws WritError INVALID_ARGUMENT naming the option. */
function queryOf(words: readonly string[], flags: MessagesSearchFlags): SearchQuery {
  const filters = filtersOf(flags);
  const { kind, mode, cursor, offset, explain, snippets, facets } = flags;
  const ranking = rankingOf(wordOf('--sort', flags.sort));
  const as = nameOf(wordOf('--as', flags.as));
  return {
    text: words.join(' '),
    ...filters,
    limit: parseWhole(flags.limit, '--limit', { min: 1, max: 1000 }),
    ...(kind === undefined ? {} : { doc_kind: kind }),
    ...(mode === undefined ? {} : { mode }),
    ...(ranking === undefined ? {} : { ranking }),
    ...(as === undefined ? {} : { scope: { caller_scoped: { caller_agent: as } } }),
    ...(flags.minScore === undefined ? {} : { min_score: scoreOf(flags.minScore) }),
    ...(offset === undefined ? {} : { offset: parseWhole(offset, '--offset', { min: 0, max: MAX_OFFSET }) }),
    ...(cursor === undefined ? {} : { cursor: cursor.slice(0, 1024) }),
    ...(snippets === true ? { snippets } : {}),
    ...(facets === true ? { facets } : {}),
    ...(explain === true ? { explain } : {}),
  };
}

function filtersOf({ from, to, agent, thread, importance, ack, since, until }: MessagesSearchFlags): Partial<SearchQuery> {
  const [start, end] = [wordOf('--since', since), wordOf('--until', until)];
  const range = timeRangeOf(start && { ...start, us: momentOf(start, 'start') }, end && { us: momentOf(end, 'end') });
  const levels = importancesOf(wordOf('--importance', importance));
  const names = {
    sender_name: nameOf(wordOf('--from', from)),
    recipient_name: nameOf(wordOf('--to', to)),
    agent_name: nameOf(wordOf('--agent', agent)),
    thread_id: nameOf(wordOf('--thread', thread)),
  };
  return {
    ...Object.fromEntries(Object.entries(names).filter(([, name]) => name !== undefined)),
    ...(levels.length === 0 ? {} : { importance: [...levels] }),
    ...(ack === undefined ? {} : { ack_required: ack }),
    ...(range === undefined ? {} : { time_range: range }),
  };
}

/** The project or product that a command line names; everything unless it names one. Throws WritError NOT_FOUND for one that is not there. */
export async function searchTargetOf({ project, product }: Pick<MessagesSearchFlags, 'project' | 'product'>, looking: Looking): Promise<SearchTarget> {
  if (project !== undefined) return inProject(project, '--project', looking);
  if (product !== undefined) return inProduct(product, '--product', looking);
  return { ok: true, value: {} };
}

function scoreOf(word: string): number {
  const score = /^\d?\.?\d+$/.test(word) ? Number(word) : Number.NaN;
  if (!(score >= 0 && score <= 1)) throw new WritError('INVALID_ARGUMENT', '--min-score must be a number from 0 to 1', { field: '--min-score' });
  return score;
}
