import { act, type Registrar } from '../command.ts';
import type { CreateFlags } from '../operations/key-create.ts';
import type { RotateFlags } from '../operations/key-rotate.ts';

export const registerKey: Registrar = (program, deps, exit) => {
  const key = program.command('key').helpCommand(false).description('keys of the HTTP API');
  key
    .command('create <name>')
    .description('make a key; its secret goes into a file that only you can read')
    .requiredOption('--roles <list>', 'what it may do, separated by commas: submit, search, read, ingest, operate, kernel')
    .option('--ttl <time>', 'life of the key, e.g. 90d (until it is revoked unless given)')
    .option('--out <file>', 'write the secret there instead of <data directory>/keys/<name>.key')
    .option('--print', 'print the secret, once, instead of writing it to a file')
    .action(act<[string], CreateFlags>(deps, exit, async () => (await import('../operations/key-create.ts')).runKeyCreate));
  key
    .command('list')
    .description('show the keys, without their secrets')
    .action(act<[], Record<never, never>>(deps, exit, async () => (await import('../operations/key-list.ts')).runKeyList));
  key
    .command('rotate <id>')
    .description('give a key a new secret')
    .option('--grace <time>', 'the old secret stays good for so long', '0s')
    .option('--out <file>', 'write the secret there instead of <data directory>/keys/<name>.key')
    .option('--print', 'print the secret, once, instead of writing it to a file')
    .action(act<[string], RotateFlags>(deps, exit, async () => (await import('../operations/key-rotate.ts')).runKeyRotate));
  key
    .command('revoke <id>')
    .description('take a key away; the API refuses it within a second')
    .action(act<[string], Record<never, never>>(deps, exit, async () => (await import('../operations/key-revoke.ts')).runKeyRevoke));
};
