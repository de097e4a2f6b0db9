import { act, type Registrar } from '../command.ts';
import type { CancelFlags } from '../operations/cancel.ts';

export const registerCancel: Registrar = (program, deps, exit) => {
  program
    .command('cancel <task_id>')
    .description('ask that a task is not done; what has begun is finished')
    .option('--timeout <time>', 'how long to wait for the outcome', '10s')
    .action(act<[string], CancelFlags>(deps, exit, async () => (await import('../operations/cancel.ts')).runCancel));
};
