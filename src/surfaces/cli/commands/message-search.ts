import { Option } from 'commander';
import { DOC_KINDS, SEARCH_MODES } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { ShadowReport } from '../../../core/ports/index.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import type { MessagesSearchFlags } from '../messages/query.ts';
import { parseWhole } from '../text/values.ts';
import { addMessageImport } from './message-import.ts';

export const register: Registrar = (program, deps, exit) => {
  const messages = program.command('messages').helpCommand(false).description('the messages of agents, and the search in them');
  addSearch(messages, deps, exit);
  addMessageImport(messages, deps, exit);
  addShadowReport(messages, deps, exit);
};

const MORE = `
Words, "phrases", prefix* and AND, OR, NOT work where they are well formed; anything else is looked for as words. Without words the
filters alone decide. Dates are RFC 3339, or days of UTC.

Examples:
  writ messages search migration plan --project backend
  writ messages search --from BlueLake --since 2026-01-01 --sort recency
  writ messages search 'deploy*' --importance high,urgent --explain`;

const addSearch: Registrar = (messages, deps, exit) => {
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
    .option('--limit <n>', 'at most so many results (1 to 1000)', '20')
    .option('--offset <n>', 'leave out so many at the front')
    .option('--cursor <token>', 'go on where a page ended')
    .option('--explain', 'say how it was searched')
    .addHelpText('after', MORE)
    .action(command<[readonly string[]], MessagesSearchFlags>(deps, exit, runMessagesSearch));
};

const SHADOW_REPORT_HELP = `
The file has one query on each line; blank lines and lines that begin with # are left out. Every query is searched with FTS5 and with
Tantivy, and the pages are compared as SEARCH_ENGINE=shadow compares them. Exit code 0: overlap, time and errors are within the
gates; 1: they are not, or could not be measured.

Examples:
  writ messages shadow-report queries.txt
  grep -h '' queries/*.txt | writ messages shadow-report - --project backend --json`;

const addShadowReport: Registrar = (messages, deps, exit) => {
  messages
    .command('shadow-report <file>')
    .description('compare Tantivy with FTS5 on a list of queries')
    .option('--project <name>', 'only this project: slug, key or id')
    .option('--product <name>', 'only the projects of this product: uid, name or id')
    .option('--limit <n>', 'results to compare (1 to 1000)', '20')
    .addHelpText('after', SHADOW_REPORT_HELP)
    .action(command<[string], ShadowReportFlags>(deps, exit, runShadowReport));
};

/** `writ messages search`: one page of results. Whoever may read the data directory may see every message. */
async function runMessagesSearch(context: CommandContext, flags: MessagesSearchFlags, words: readonly string[]): Promise<number> {
  const { searchIn } = await import('../../shared/messages/search-target.ts');
  const { queryOf, searchTargetOf } = await import('../messages/query.ts');
  const { besideText, explainText, resultsText } = await import('../messages/render.ts');
  const { output } = context;
  const query = queryOf(words, flags);
  const search = await (await context.services()).messageSearch();
  const response = await searchIn(await searchTargetOf(flags, search), query, search);
  const explained = response.explain === undefined ? '' : `\n\n${explainText(response.explain)}`;
  await output.answer(response, () => `${resultsText(response)}${explained}`);
  if (!output.json) for (const line of besideText(response)) output.note(line);
  return 0;
}

interface ShadowReportFlags {
  readonly project?: string;
  readonly product?: string;
  readonly limit: string;
}

/** A list of queries is a person's; a larger one is a mistake. */
const MAX_QUERIES = 10_000;

/** `writ messages shadow-report`: 0 all gates passed, 1 one did not, or could not be measured. */
async function runShadowReport(context: CommandContext, flags: ShadowReportFlags, file: string): Promise<number> {
  const { searchTargetOf } = await import('../messages/query.ts');
  const { shadowReportText } = await import('../messages/shadow-report.ts');
  const { readText } = await import('../read-text.ts');
  const limit = parseWhole(flags.limit, '--limit', { min: 1, max: 1000 });
  const texts = queriesIn(await readText(context.io, file));
  const services = await context.services();
  const target = await searchTargetOf(flags, await services.messageSearch());
  if (!target.ok) throw new WritError('STORAGE_UNAVAILABLE', target.error.message);
  const report = await services.compareEngines({ texts, limit, ...target.value, signal: context.interrupted() });
  await context.output.answer(report, () => shadowReportText(report));
  return hasPassed(report) ? 0 : 1;
}

/** One a line; blank lines and those that begin with # are none. Throws WritError INVALID_ARGUMENT. */
function queriesIn(text: string): readonly string[] {
  const queries = text.split(/\r?\n/).map((line) => line.trim());
  const wanted = queries.filter((line) => line !== '' && !line.startsWith('#'));
  if (wanted.length === 0)
    throw new WritError('INVALID_ARGUMENT', 'there is no query: one a line is read from the file, or from standard input for -', { field: 'file' });
  if (wanted.length > MAX_QUERIES) throw new WritError('INVALID_ARGUMENT', `there are more than ${MAX_QUERIES} queries`, { field: 'file' });
  return wanted;
}

const hasPassed = ({ gates }: ShadowReport): boolean => gates.every(({ passed }) => passed === true);
