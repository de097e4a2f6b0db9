import { act, type Registrar } from '../command.ts';
import type { ShadowReportFlags } from '../operations/messages-shadow-report.ts';

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
    .action(act<[string], ShadowReportFlags>(deps, exit, async () => (await import('../operations/messages-shadow-report.ts')).runShadowReport));
};
