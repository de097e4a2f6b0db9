import { Command, CommanderError, Option } from 'commander';
import { WritError } from '../../core/errors.ts';
import type { Exit, Registrar } from './command.ts';
import { registerAudit } from './commands/audit.ts';
import { registerCancel } from './commands/cancel.ts';
import { registerContentIndex } from './commands/content-index.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerFind } from './commands/find.ts';
import { registerInit } from './commands/init.ts';
import { registerKey } from './commands/key.ts';
import { registerKeygen } from './commands/keygen.ts';
import { registerLease } from './commands/lease.ts';
import { registerLoginLink } from './commands/login-link.ts';
import { registerMcp } from './commands/mcp.ts';
import { registerMessages } from './commands/messages.ts';
import { registerPlan } from './commands/plan.ts';
import { registerPush } from './commands/push.ts';
import { registerResult } from './commands/result.ts';
import { registerRetry } from './commands/retry.ts';
import { registerRoles } from './commands/roles.ts';
import { registerScopes } from './commands/scopes.ts';
import { registerSearch } from './commands/search.ts';
import { registerStatus } from './commands/status.ts';
import { registerTui } from './commands/tui.ts';
import { registerUndo } from './commands/undo.ts';
import { registerVault } from './commands/vault.ts';
import { failureOf, failureText } from './failure.ts';
import type { CliDeps } from './services.ts';

const SECTIONS: readonly { readonly title: string; readonly register: readonly Registrar[] }[] = [
  { title: 'Run:', register: [registerRoles, registerMcp] },
  { title: 'Set up:', register: [registerInit, registerKeygen, registerDoctor] },
  { title: 'Tasks:', register: [registerPush, registerResult, registerRetry, registerUndo, registerCancel, registerStatus] },
  { title: 'Plans:', register: [registerPlan] },
  { title: 'Searches:', register: [registerSearch, registerContentIndex, registerFind, registerScopes] },
  { title: 'Messages:', register: [registerMessages, registerTui] },
  { title: 'Authority:', register: [registerLease, registerKey, registerLoginLink, registerAudit] },
  { title: 'Deleted files:', register: [registerVault] },
];

const EXIT_CODES = `
Exit codes: 0 success, 1 the task failed or was refused, 2 usage, 3 something is not available; "search" has those of grep.
--json prints one JSON document on stdout; "push" prints one line per task and a closing summary.`;

/** The command line as a commander program. Nothing is opened before a command runs. */
export function createProgram(deps: CliDeps, exit: Exit): Command {
  const program = new Command('writ')
    .description('Leased, once-only file operations, searches and plans on a message queue.')
    .version(deps.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    // Errors are told once, by runCli; what commander writes to stderr beside them is the help of a group of commands.
    .configureOutput({ writeOut: (text) => deps.io.stdout.write(text), writeErr: (text) => deps.io.stderr.write(text), outputError: () => undefined })
    .option('--json', 'answer in JSON on stdout')
    .option('--data-dir <directory>', 'data directory (WRIT_DATA_DIR)')
    .option('--config <file>', 'read this instead of <data directory>/writ.toml')
    .addOption(new Option('--set <key=value>', 'set one setting, e.g. redis.port=6390; may be repeated').argParser(collectSetting))
    .addHelpText('after', EXIT_CODES);
  for (const { title, register } of SECTIONS) {
    program.commandsGroup(title);
    for (const add of register) add(program, deps, exit);
  }
  return program;
}

/** Runs one command line and answers the exit code; errors are told, never thrown. */
export async function runCli(args: readonly string[], deps: CliDeps): Promise<number> {
  const exit: Exit = { code: 0 };
  const program = createProgram(deps, exit);
  if (args.length === 0) {
    program.outputHelp();
    return 2;
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exit.code;
  } catch (error) {
    if (isHelp(error)) return error.exitCode === 0 ? 0 : 2;
    const failure = failureOf(error);
    const { exit: code, ...told } = failure;
    if (args.includes('--json')) deps.io.stdout.write(`${JSON.stringify({ error: told })}\n`);
    deps.io.stderr.write(`${failureText(failure)}\n`);
    return code;
  }
}

/** Help that was asked for, or that stands in for a missing command. */
function isHelp(error: unknown): error is CommanderError {
  return error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help');
}

function collectSetting(word: string, before: Record<string, string> = {}): Record<string, string> {
  const at = word.indexOf('=');
  if (at < 1) throw new WritError('INVALID_ARGUMENT', '--set wants key=value, for example --set redis.port=6390', { field: '--set' });
  return { ...before, [word.slice(0, at)]: word.slice(at + 1) };
}
