import { act, type Registrar } from '../command.ts';

export const registerInit: Registrar = (program, deps, exit) => {
  program
    .command('init')
    .description('write a commented writ.toml into the data directory and make keys; overwrites nothing')
    .action(act<[], Record<never, never>>(deps, exit, async () => (await import('../operations/init.ts')).runInit));
};
