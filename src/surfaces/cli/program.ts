import { Command, CommanderError, Option } from 'commander';
import { WritError } from '../../core/errors.ts';
import type { Exit, Registrar } from './command.ts';
import { failureOf, failureText } from './failure.ts';
import type { CliDeps } from './services.ts';

/** A file of commands that stand together in the help. */
interface CommandGroup {
  readonly commands: readonly string[];
  load(): Promise<{ readonly register: Registrar }>;
}

/** The help of the program, a section after the other. */
const SECTIONS: readonly { readonly title: string; readonly groups: readonly CommandGroup[] }[] = [
  {
    title: 'Run:',
    groups: [
      { commands: ['up', 'api', 'worker', 'kernel', 'index-host'], load: () => import('./commands/roles.ts') },
      { commands: ['mcp'], load: () => import('./commands/mcp.ts') },
    ],
  },
  {
    title: 'Set up:',
    groups: [
      { commands: ['init', 'keygen', 'doctor'], load: () => import('./commands/setup.ts') },
      { commands: ['reload'], load: () => import('./commands/reload.ts') },
      { commands: ['completion'], load: () => import('./commands/completion.ts') },
    ],
  },
  {
    title: 'Tasks:',
    groups: [
      { commands: ['push'], load: () => import('./commands/push.ts') },
      { commands: ['result', 'retry', 'undo', 'cancel'], load: () => import('./commands/tasks.ts') },
      { commands: ['tasks'], load: () => import('./commands/task-find.ts') },
      { commands: ['status'], load: () => import('./commands/status.ts') },
      { commands: ['queue'], load: () => import('./commands/queues.ts') },
      { commands: ['schedule'], load: () => import('./commands/schedule.ts') },
      { commands: ['webhooks'], load: () => import('./commands/webhooks.ts') },
      { commands: ['events'], load: () => import('./commands/events.ts') },
    ],
  },
  {
    title: 'Plans:',
    groups: [
      { commands: ['plan'], load: () => import('./commands/plan.ts') },
      { commands: ['plans'], load: () => import('./commands/plan-find.ts') },
    ],
  },
  {
    title: 'Searches:',
    groups: [
      { commands: ['search'], load: () => import('./commands/content-search.ts') },
      { commands: ['index'], load: () => import('./commands/content-index.ts') },
      { commands: ['find', 'scopes'], load: () => import('./commands/scopes.ts') },
    ],
  },
  {
    title: 'Messages:',
    groups: [
      { commands: ['messages'], load: () => import('./commands/messages.ts') },
      { commands: ['tui'], load: () => import('./commands/tui.ts') },
    ],
  },
  {
    title: 'Authority:',
    groups: [
      { commands: ['lease'], load: () => import('./commands/lease.ts') },
      { commands: ['key', 'login-link'], load: () => import('./commands/keys.ts') },
      { commands: ['sessions'], load: () => import('./commands/sessions.ts') },
      { commands: ['audit'], load: () => import('./commands/audit.ts') },
    ],
  },
  { title: 'Deleted files:', groups: [{ commands: ['vault'], load: () => import('./commands/vault.ts') }] },
];

const EXIT_CODES = `
Exit codes: 0 success, 1 the task failed or was refused, 2 usage, 3 something is not available; "search" has those of grep.
--json prints one JSON document on stdout; "push" prints one line per task and a closing summary.`;

/** The program without its commands. Nothing is opened before a command runs. */
function createProgram(deps: CliDeps): Command {
  return (
    new Command('writ')
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
      .option('--no-color', 'no colours, as with NO_COLOR in the environment')
      .option('--data-dir <directory>', 'data directory (WRIT_DATA_DIR)')
      .option('--config <file>', 'read this instead of <data directory>/writ.toml')
      .addOption(new Option('--set <key=value>', 'set one setting, e.g. redis.port=6390; may be repeated').argParser(collectSetting))
      .addHelpText('after', EXIT_CODES)
  );
}

/** Adds the group of the named command; without a name that is known, all of them. */
async function addCommands(program: Command, name: string | undefined, deps: CliDeps, exit: Exit): Promise<void> {
  const isNamed = ({ commands }: CommandGroup): boolean => name !== undefined && commands.includes(name);
  const isKnown = SECTIONS.some(({ groups }) => groups.some(isNamed));
  for (const { title, groups } of SECTIONS) {
    const wanted = isKnown ? groups.filter(isNamed) : groups;
    const loaded = await Promise.all(wanted.map((group) => group.load()));
    program.commandsGroup(title);
    for (const { register } of loaded) register(program, deps, exit);
  }
}

/** Every command with its options, as help, completions and man pages tell of them. */
export async function commandTree(deps: CliDeps): Promise<Command> {
  const program = createProgram(deps);
  await addCommands(program, undefined, deps, { code: 0 });
  return program;
}

/** Loads the words of every command. */
export async function loadGroups(): Promise<void> {
  await Promise.all(SECTIONS.flatMap(({ groups }) => groups.map((group) => group.load())));
}

/** Runs one command line and answers the exit code; errors are told, never thrown. */
export async function runCli(args: readonly string[], deps: CliDeps): Promise<number> {
  const exit: Exit = { code: 0 };
  const program = createProgram(deps);
  try {
    const [name] = program.parseOptions([...args]).operands;
    await addCommands(program, name, deps, exit);
    if (args.length === 0) {
      program.outputHelp();
      return 2;
    }
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
