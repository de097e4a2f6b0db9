import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Argument } from 'commander';
import { type CommandContext, command, type Registrar } from '../command.ts';

const EXAMPLES = `
Examples:
  source <(writ completion bash)                     for this shell; in ~/.bashrc for all
  writ completion zsh > "\${fpath[1]}/_writ"          for zsh, from its next start on
  writ completion fish > ~/.config/fish/completions/writ.fish`;

export const register: Registrar = (program, deps, exit) => {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'whose').choices(['bash', 'zsh', 'fish']))
    .description('print what makes a shell complete the words of writ')
    .addHelpText('after', EXAMPLES)
    .action(command<[string], Record<never, never>>(deps, exit, runCompletion));
};

/** `writ completion`: the script that was written from the table of commands when Writ was made. */
async function runCompletion({ packageRoot, io }: CommandContext, _: object, shell: string): Promise<number> {
  io.stdout.write(await readFile(path.join(packageRoot, 'deploy', 'completion', `writ.${shell}`), 'utf8'));
  return 0;
}
