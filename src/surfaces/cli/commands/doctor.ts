import { act, type Registrar } from '../command.ts';
import type { DoctorFlags } from '../operations/doctor.ts';

export const registerDoctor: Registrar = (program, deps, exit) => {
  program
    .command('doctor')
    .description('every setting with its source, and what this host can do')
    .option('--rebuild-ledger', 'write back to Redis what the journal of this host knows, as a worker does after a loss')
    .action(act<[], DoctorFlags>(deps, exit, async () => (await import('../operations/doctor.ts')).runDoctor));
};
