import { Option } from 'commander';
import { act, type Registrar } from '../command.ts';
import type { SearchFlags } from '../operations/search.ts';

const MORE = `
The files are searched with your own rights, below the current directory unless a path is given; no server is needed.
<pattern> is a regular expression of the backend (ugrep, else ripgrep). Hidden files, and those that .gitignore, .ignore and
git's own exclude files name, are left out. On a terminal the matches of a file stand under its name; elsewhere each line is
path:line:text.

Examples:
  writ search struct src            in src
  writ search -F 'a.b(' -g '*.ts'   literally, in TypeScript files
  writ search -i -C 2 todo ../lib   in any case, with two lines around
  writ search -- -x                 a pattern that begins with "-"

Exits 0 with a match, 1 without one, 2 when something went wrong.`;

export const registerSearch: Registrar = (program, deps, exit) => {
  program
    .command('search <pattern> [path]')
    .description('search the contents of files')
    .option('-i, --ignore-case', 'letters match in any case')
    .option('-s, --case-sensitive', 'letters match as they are')
    .option('-S, --smart-case', 'in any case unless the pattern has an upper-case letter (this is the default)')
    .option('-F, --fixed-strings', 'the pattern is literal text')
    .option('-w, --word-regexp', 'only whole words match')
    .option('-., --hidden', 'search hidden files and directories too')
    .option('-L, --follow', 'follow symbolic links')
    .option('--no-ignore', 'do not regard ignore files')
    .addOption(
      new Option('-g, --glob <glob>', 'only files whose path matches; with "!" in front, only those whose path does not; may be repeated').argParser(collect),
    )
    .option('-C, --context <n>', 'show so many lines before and after each match')
    .option('-m, --max-results <n>', 'stop after so many lines, matches and context together')
    .option('--timeout <time>', 'stop after so long, e.g. 5s or 2m', '10m')
    .option('--fuzzy <n>', 'match approximately: forgive 1 to 4 edits (ugrep only)')
    .addOption(new Option('--backend <name>', 'search with this program').choices(['ugrep', 'rg']))
    .option('--stats', 'say how it was searched')
    .addHelpText('after', MORE)
    .action(act<[string, string | undefined], SearchFlags>(deps, exit, async () => (await import('../operations/search.ts')).runContentSearch));
};

function collect(glob: string, before: readonly string[] = []): readonly string[] {
  return [...before, glob];
}
