import { act, type Registrar } from '../command.ts';
import type { RetryFlags } from '../operations/retry.ts';

export const registerRetry: Registrar = (program, deps, exit) => {
  program
    .command('retry <task_id>')
    .description('run a failed task again; an expired lease is renewed by the kernel')
    .option('--regrant', 'ask the kernel for a new lease when the old one has expired')
    .option('--no-regrant', 'never ask for a new lease')
    .option('--wait', 'wait for the outcome')
    .option('--timeout <time>', 'with --wait: give up after so long', '60s')
    .action(act<[string], RetryFlags>(deps, exit, async () => (await import('../operations/retry.ts')).runRetry));
};
