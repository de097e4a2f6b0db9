import { act, type Registrar } from '../command.ts';

export const registerScopes: Registrar = (program, deps, exit) => {
  program
    .command('scopes')
    .description('what may be searched, and whether it can be opened now')
    .addHelpText('after', '\nOpens every scope for a moment, mail servers too; reads nothing in them. Exits 0 also when one cannot be opened.')
    .action(act<[], Record<never, never>>(deps, exit, async () => (await import('../operations/scopes.ts')).runScopes));
};
