import { Option } from 'commander';
import { act, type Registrar } from '../command.ts';
import type { KeygenFlags } from '../operations/keygen.ts';

export const registerKeygen: Registrar = (program, deps, exit) => {
  program
    .command('keygen')
    .description('make a new key and add it to the keyring; older keys still verify')
    .addOption(new Option('--role <role>', 'whose key').choices(['kernel', 'executor']).default('kernel'))
    .option('--capabilities <list>', 'what leases of this key may allow, separated by commas (all unless given)')
    .action(act<[], KeygenFlags>(deps, exit, async () => (await import('../operations/keygen.ts')).runKeygen));
};
