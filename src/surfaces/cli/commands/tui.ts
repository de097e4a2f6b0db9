import { act, type Registrar } from '../command.ts';

const EXAMPLES = `
A screen for searching the messages of this data directory: query, results, the message itself, and facets. The keys stand
at the bottom; "?" shows all. It works over SSH and in tmux, from 40 columns and 12 lines on.

Examples:
  writ tui                       the newest messages
  writ tui database locked       begins with these words
  writ tui '/search?q=deploy&imp=urgent'   a link, as the key y shows it`;

export const registerTui: Registrar = (program, deps, exit) => {
  program
    .command('tui [words...]')
    .description('search the messages of agents on a screen')
    .addHelpText('after', EXAMPLES)
    .action(act<[readonly string[] | undefined], object>(deps, exit, async () => (await import('../operations/tui.ts')).runTuiCommand));
};
