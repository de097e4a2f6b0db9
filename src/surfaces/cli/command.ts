import type { Command } from 'commander';
import { audited, auditedUrgently } from '../../core/audited.ts';
import type { OperatorAction } from '../../core/ports/index.ts';
import { createOutput, type Output } from './output.ts';
import type { CliDeps, CliInput, CliServices, GlobalOptions } from './services.ts';

/** What the body of a command gets. */
export interface CommandContext extends CliDeps {
  readonly output: Output;
  readonly options: GlobalOptions;
  /** Opened when a command asks for the first time, closed when it has ended. */
  services(): Promise<CliServices>;
}

/** The exit code of the command that ran. */
export interface Exit {
  code: number;
}

/** Adds the words of a help group to the program. */
export type Registrar = (program: Command, deps: CliDeps, exit: Exit) => void;

/**
 * Turns the body of a command into a commander action. Words and body lie in one file: what only the body needs is
 * imported when it runs, so that `writ --help` loads no more than the words.
 */
export function command<A extends readonly unknown[], O extends object>(
  deps: CliDeps,
  exit: Exit,
  body: (context: CommandContext, options: O, ...args: A) => Promise<number>,
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
    const io = command.optsWithGlobals<{ color?: boolean }>().color === false ? { ...deps.io, hasColours: () => false } : deps.io;
    const context: CommandContext = { ...deps, io, options, services, output: createOutput(options.json, deps.io.stdout, deps.io.stderr) };
    try {
      exit.code = await body(context, command.opts<O>(), ...(args as [...A]));
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

/** The named file, or standard input for `-`. */
export async function openInput({ io }: Pick<CliDeps, 'io'>, file: string): Promise<CliInput> {
  return file === '-' ? { stream: io.stdin, bytes: undefined } : io.openFile(file);
}

/** As `auditedCommand`, for what takes a right away: a log that cannot be written is told of, and holds nothing up. */
export async function auditedUrgentCommand<T>(
  context: CommandContext,
  action: Pick<OperatorAction, 'action' | 'subject' | 'detail'>,
  work: () => Promise<T>,
): Promise<T> {
  const services = await context.services();
  return auditedUrgently(await services.audit(), { surface: 'cli', who: services.who, ...action }, work, (why) => context.output.note(why));
}

/** Does what a person asked for on the command line between two records of the audit log. Throws as `audited` does. */
export async function auditedCommand<T>(
  context: CommandContext,
  action: Pick<OperatorAction, 'action' | 'subject' | 'detail'>,
  work: () => Promise<T>,
  found?: (value: T) => NonNullable<OperatorAction['detail']>,
): Promise<T> {
  const services = await context.services();
  return audited(await services.audit(), { surface: 'cli', who: services.who, ...action }, work, found);
}
