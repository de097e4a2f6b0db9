import { Option } from 'commander';
import { DOC_KINDS, SEARCH_MODES } from '../../../contracts/index.ts';
import { act, type Registrar } from '../command.ts';
import type { MessagesSearchFlags } from '../operations/messages-search.ts';

const MORE = `
Words, "phrases", prefix* and AND, OR, NOT work where they are well formed; anything else is looked for as words. Without words the
filters alone decide. Dates are RFC 3339, or days of UTC.

Examples:
  writ messages search migration plan --project backend
  writ messages search --from BlueLake --since 2026-01-01 --sort recency
  writ messages search 'deploy*' --importance high,urgent --explain`;

export const addMessagesSearch: Registrar = (messages, deps, exit) => {
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
    .action(act<[readonly string[]], MessagesSearchFlags>(deps, exit, async () => (await import('../operations/messages-search.ts')).runMessagesSearch));
};
