/** What must be known of a command to have the resident process run it. Its meaning is the command's own file's to know. */
interface ThinCommand {
  readonly words: readonly string[];
  /** Options without a value. */
  readonly switches: readonly string[];
  /** Options with one. */
  readonly values: readonly string[];
  /** Options with which it goes the whole way: they name a file that the user, and nobody else, reads. */
  readonly whole?: readonly string[];
  readonly operands: { readonly least: number; readonly most: number };
  /** Place of the operand that names a file, which is read here: with the rights of the user, as the user sees it. */
  readonly input?: number;
}

/** The commands that are asked for often and answer soon. What else they take goes the whole way. */
export const THIN_COMMANDS: readonly ThinCommand[] = [
  { words: ['status'], switches: [], values: [], operands: { least: 0, most: 0 } },
  {
    words: ['push'],
    switches: ['--sign', '--wait', '--dry-run'],
    values: ['--ttl', '--confirmed-by', '--attempts', '--not-before', '--priority', '--timeout'],
    operands: { least: 1, most: 1 },
    input: 0,
  },
  { words: ['result'], switches: ['--verify'], values: [], operands: { least: 1, most: 1 } },
  { words: ['find'], switches: [], values: ['--max', '--ttl', '--timeout'], operands: { least: 2, most: 2 } },
  {
    words: ['search'],
    switches: [
      ...['-i', '--ignore-case', '-s', '--case-sensitive', '-S', '--smart-case', '-F', '--fixed-strings', '-w', '--word-regexp'],
      ...['-.', '--hidden', '-L', '--follow', '--no-ignore', '--stats'],
    ],
    values: ['-g', '--glob', '-C', '--context', '-m', '--max-results', '--timeout', '--fuzzy', '--backend'],
    operands: { least: 1, most: 2 },
  },
  {
    words: ['messages', 'search'],
    switches: ['--ack', '--no-ack', '--explain', '--snippets', '--facets'],
    values: [
      ...['--project', '--product', '--kind', '--from', '--to', '--agent', '--thread', '--importance', '--since', '--until'],
      ...['--sort', '--mode', '--min-score', '--as', '--limit', '--offset', '--cursor'],
    ],
    whole: ['--key'],
    operands: { least: 0, most: 100 },
  },
];

/** Options of the program itself. `--config` is left out: few name a file of settings. */
const GLOBAL_SWITCHES = ['--json'];
const GLOBAL_VALUES = ['--data-dir', '--set'];

/** A command line that the resident process may run. */
export interface ThinCall {
  /** As typed; which data directory, and so which process, is asked. */
  readonly dataDir: string | undefined;
  /** As typed: the file to read. */
  readonly input: string | undefined;
}

/**
 * Reads a command line as far as that takes. What is not plainly one of the thin commands is `undefined`, and goes the whole
 * way: help, errors, abbreviations, options that only the command knows. A wrong guess is harmless: the resident process
 * reads the arguments anew, with the same program.
 */
export function readThinCall(args: readonly string[]): ThinCall | undefined {
  const command = THIN_COMMANDS.find(({ words }) => isNamed(words, args));
  if (command === undefined) return undefined;
  const values = [...command.values, ...GLOBAL_VALUES];
  const switches = [...command.switches, ...GLOBAL_SWITCHES];
  const operands: string[] = [];
  let dataDir: string | undefined;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === '--') {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (word === '-' || !word.startsWith('-')) {
      operands.push(word);
      continue;
    }
    if (switches.includes(word)) continue;
    const option = readValue(word, args[at + 1], values);
    if (option === undefined) return undefined;
    if (option.name === '--data-dir') dataDir = option.value;
    if (!option.attached) at += 1;
  }
  const rest = operands.slice(command.words.length);
  if (rest.length < command.operands.least || rest.length > command.operands.most) return undefined;
  const input = command.input === undefined ? undefined : rest[command.input];
  return input === '-' || dataDir === '' ? undefined : { dataDir, input };
}

/** The words of a command stand first, but for options of the program with their values before them. */
function isNamed(words: readonly string[], args: readonly string[]): boolean {
  let at = 0;
  while (at < args.length && args[at]?.startsWith('-')) at += GLOBAL_VALUES.includes(args[at] ?? '') ? 2 : 1;
  return words.every((word, index) => args[at + index] === word);
}

function readValue(
  word: string,
  next: string | undefined,
  values: readonly string[],
): { readonly name: string; readonly value: string; readonly attached: boolean } | undefined {
  const equals = word.startsWith('--') ? word.indexOf('=') : -1;
  const name = equals < 0 ? word : word.slice(0, equals);
  if (!values.includes(name)) return undefined;
  if (equals >= 0) return { name, value: word.slice(equals + 1), attached: true };
  return next === undefined ? undefined : { name, value: next, attached: false };
}
