import { act, type Registrar } from '../command.ts';
import type { LinkFlags } from '../operations/login-link.ts';

export const registerLoginLink: Registrar = (program, deps, exit) => {
  program
    .command('login-link')
    .description('print a link that opens a browser session, once')
    .option('--roles <list>', 'what the session may do, separated by commas', 'operate,read')
    .option('--ttl <time>', 'how long the link waits to be used', '300s')
    .action(act<[], LinkFlags>(deps, exit, async () => (await import('../operations/login-link.ts')).runLoginLink));
};
