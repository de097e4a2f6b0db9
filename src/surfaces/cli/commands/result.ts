import { act, type Registrar } from '../command.ts';
import type { ResultFlags } from '../operations/result.ts';

export const registerResult: Registrar = (program, deps, exit) => {
  program
    .command('result <task_id>')
    .description('show the last outcome of a task, or where it stands')
    .option('--verify', "check the executor's signature with the public keys of this data directory")
    .addHelpText('after', '\nExits 0 for SUCCESS, 1 for FAILURE or an unknown id, 3 while there is no outcome yet.')
    .action(act<[string], ResultFlags>(deps, exit, async () => (await import('../operations/result.ts')).runResult));
};
