import { act, type Registrar } from '../command.ts';
import type { ListFlags } from '../operations/vault-list.ts';
import type { PurgeFlags } from '../operations/vault-purge.ts';

export const registerVault: Registrar = (program, deps, exit) => {
  const vault = program.command('vault').helpCommand(false).description('deleted files, kept so that a delete can be undone');
  vault
    .command('list')
    .description('show what lies in the vaults')
    .option('--base <id>', 'only the vault of this base directory')
    .action(act<[], ListFlags>(deps, exit, async () => (await import('../operations/vault-list.ts')).runVaultList));
  vault
    .command('purge')
    .description('remove deleted files for good; this cannot be undone and is written to the audit file')
    .requiredOption('--older-than <time>', 'only files that were deleted longer ago, e.g. 30d')
    .option('--base <id>', 'only the vault of this base directory')
    .option('--confirm', 'really do it; without it only what would be removed is shown')
    .action(act<[], PurgeFlags>(deps, exit, async () => (await import('../operations/vault-purge.ts')).runVaultPurge));
};
