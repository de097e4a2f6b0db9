import type { Command } from 'commander';
import { createOutput, type Output } from './output.ts';
import type { CliDeps, CliServices, GlobalOptions } from './services.ts';

/** What the body of a command gets. */
export interface Call extends CliDeps {
  readonly output: Output;
  readonly options: GlobalOptions;
  /** Opened when a command asks for the first time, closed when it has ended. */
  services(): Promise<CliServices>;
}

/** Collects the exit code of the command that ran. */
export interface Exit {
  code: number;
}

export type Registrar = (program: Command, deps: CliDeps, exit: Exit) => void;

/**
 * Turns the body of a command into a commander action. Bodies are imported when they run, so that `writ --help`
 * loads no more than the words.
 */
export function act<A extends readonly unknown[], O extends object>(
  deps: CliDeps,
  exit: Exit,
  body: () => Promise<(call: Call, options: O, ...args: A) => Promise<number>>,
) {
  return async (...given: [...A, O, Command]): Promise<void> => {
    const command = given.at(-1) as Command;
    const args = given.slice(0, -2);
    const options = globalOptions(command);
    let opened: Promise<CliServices> | undefined;
    const services = (): Promise<CliServices> => {
      opened ??= deps.open(options);
      return opened;
    };
    const call: Call = { ...deps, options, services, output: createOutput(options.json, deps.io.stdout, deps.io.stderr) };
    const run = await body();
    try {
      exit.code = await run(call, command.opts<O>(), ...(args as [...A]));
    } finally {
      // A service that could not be opened has told why already.
      await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
    }
  };
}

/** The options of the program itself, wherever on the line they stand. */
export function globalOptions(command: Command): GlobalOptions {
  const { dataDir, config, set, json } = command.optsWithGlobals<{ dataDir?: string; config?: string; set?: Record<string, string>; json?: boolean }>();
  return { ...(dataDir === undefined ? {} : { dataDir }), ...(config === undefined ? {} : { config }), set: set ?? {}, json: json === true };
}
