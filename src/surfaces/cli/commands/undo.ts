import { act, type Registrar } from '../command.ts';
import type { UndoFlags } from '../operations/undo.ts';

export const registerUndo: Registrar = (program, deps, exit) => {
  program
    .command('undo <task_id>')
    .description('take back a finished move or delete; the undo is a task of its own')
    .option('--wait', 'wait for the outcome')
    .option('--timeout <time>', 'with --wait: give up after so long', '60s')
    .action(act<[string], UndoFlags>(deps, exit, async () => (await import('../operations/undo.ts')).runUndo));
};
