import { act, type Registrar } from '../command.ts';

export const registerStatus: Registrar = (program, deps, exit) => {
  program
    .command('status')
    .description('queues, workers, failures by code, ledger and Redis')
    .action(act<[], Record<never, never>>(deps, exit, async () => (await import('../operations/status.ts')).runStatus));
};
