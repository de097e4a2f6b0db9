import { act, type Registrar } from '../command.ts';
import type { FindFlags } from '../operations/find.ts';

const EXAMPLES = `
The query is looked for literally, case-sensitive. The search is a task like any other: signed by the kernel, run by a worker.

Examples:
  writ find workspace report             names of files that contain "report"
  writ find inbox 'invoice 42' --max 5   the five that were received first
  writ find customers -- -1              a query that begins with "-"`;

export const registerFind: Registrar = (program, deps, exit) => {
  program
    .command('find <scope> <query>')
    .description('search a scope, verify the signed answer and show it')
    .option('--max <n>', 'show at most so many results (1 to 1000)', '20')
    .option('--ttl <time>', 'life of the lease, e.g. 15m')
    .option('--timeout <time>', 'give up when there is no answer after so long', '60s')
    .addHelpText('after', EXAMPLES)
    .action(act<[string, string], FindFlags>(deps, exit, async () => (await import('../operations/find.ts')).runFind));
};
