import { WritError } from '../../../core/errors.ts';
import type { ShadowReport } from '../../../core/ports/index.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { parseWhole } from '../text/values.ts';
import { searchTargetOf } from './message-search.ts';

const MORE = `
The file has one query on each line; blank lines and lines that begin with # are left out. Every query is searched with FTS5 and with
Tantivy, and the pages are compared as SEARCH_ENGINE=shadow compares them. Exit code 0: overlap, time and errors are within the
gates; 1: they are not, or could not be measured.

Examples:
  writ messages shadow-report queries.txt
  grep -h '' queries/*.txt | writ messages shadow-report - --project backend --json`;

export const addShadowReport: Registrar = (messages, deps, exit) => {
  messages
    .command('shadow-report <file>')
    .description('compare Tantivy with FTS5 on a list of queries')
    .option('--project <name>', 'only this project: slug, key or id')
    .option('--product <name>', 'only the projects of this product: uid, name or id')
    .option('--limit <n>', 'results to compare (1 to 1000)', '20')
    .addHelpText('after', MORE)
    .action(command<[string], ShadowReportFlags>(deps, exit, runShadowReport));
};

interface ShadowReportFlags {
  readonly project?: string;
  readonly product?: string;
  readonly limit: string;
}

/** A list of queries is a person's; a larger one is a mistake. */
const MAX_QUERIES = 10_000;

/** `writ messages shadow-report`: 0 all gates passed, 1 one did not, or could not be measured. */
async function runShadowReport(context: CommandContext, flags: ShadowReportFlags, file: string): Promise<number> {
  const { shadowReportText } = await import('../messages/shadow-report.ts');
  const { readText } = await import('../read-text.ts');
  const limit = parseWhole(flags.limit, '--limit', { min: 1, max: 1000 });
  const texts = queriesIn(await readText(context.io, file));
  const services = await context.services();
  const target = await searchTargetOf(flags, { search: await services.messageSearch(), viewer: null });
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
