import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { globalOptions, type Registrar } from '../command.ts';

/** The long-running roles. They own their signals and their log; the command line only starts them. */
export const register: Registrar = (program, deps, exit) => {
  program
    .command('up')
    .description('run everything on this host: Redis, kernel, workers, API, and the index host if an index is wanted')
    .option('--once', 'give the tour, then stop; the exit code is its verdict')
    .action(async ({ once }: { once?: boolean }, command: Command) => {
      exit.code = await deps.roles.up(globalOptions(command), once === true ? { once } : {});
    });
  program
    .command('api')
    .description('run the HTTP API, with its docs, the board and the metrics')
    .option('--index-host', 'with the host of the indexes in the same process, for containers')
    .action(async ({ indexHost }: { indexHost?: boolean }, command: Command) => {
      exit.code = await deps.roles.api(globalOptions(command), indexHost === true ? { indexHost } : {});
    });
  program
    .command('worker')
    .description('run a worker for the queues of this pool')
    .option('--queues <names>', 'only these, separated by commas', queueNames)
    .action(async ({ queues }: { queues?: string[] }, command: Command) => {
      exit.code = await deps.roles.worker(globalOptions(command), queues === undefined ? {} : { queues });
    });
  program
    .command('kernel')
    .description('run the kernel, which signs leases')
    .action(async (_: object, command: Command) => {
      exit.code = await deps.roles.kernel(globalOptions(command), {});
    });
  program
    .command('index-host')
    .description('run the host of the indexes of content searches')
    .action(async (_: object, command: Command) => {
      exit.code = await deps.roles['index-host'](globalOptions(command), {});
    });
};

function queueNames(word: string): string[] {
  const names = word.split(',').map((name) => name.trim());
  if (names.some((name) => name === '')) throw new InvalidArgumentError('wants queue names separated by commas.');
  return names;
}
