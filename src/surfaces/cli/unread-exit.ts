/** What a shell says of a program that SIGPIPE (13) has ended. */
const OF_SIGPIPE = 128 + 13;

/** Commands that change nothing; of a group, those of its words that change nothing. */
const READERS: Readonly<Record<string, readonly string[] | 'all'>> = {
  ...{ completion: 'all', doctor: 'all', events: 'all', find: 'all', help: 'all', result: 'all', scopes: 'all', search: 'all', status: 'all' },
  // What a role says is its log: who does not read it has not stopped it.
  ...{ api: 'all', 'index-host': 'all', kernel: 'all', mcp: 'all', tui: 'all', up: 'all', worker: 'all' },
  audit: ['list', 'verify'],
  index: ['status', 'check'],
  key: ['list'],
  lease: ['verify'],
  messages: ['search'],
  plan: ['approvals', 'check', 'show'],
  plans: ['follow', 'list', 'show'],
  queue: ['list'],
  schedule: ['list', 'show'],
  sessions: ['list'],
  tasks: ['follow', 'list', 'show'],
  vault: ['list'],
  webhooks: ['endpoints', 'list', 'notices', 'show'],
};

/** Options of the program itself that a word follows. */
const WITH_A_WORD: ReadonlySet<string> = new Set(['--config', '--data-dir', '--set']);

/**
 * The exit code of a command whose reader has left before it had said everything: 0 for one that only reads. Any other may
 * not have done all that it was asked for, and says so as a program does that the signal of a closed pipe has ended.
 *
 * @param args words of the command line
 */
export function unreadExit(args: readonly string[]): number {
  if (args.some((word) => word === '--help' || word === '-h' || word === '--version' || word === '-V')) return 0;
  const words = args.filter((word, at) => !word.startsWith('-') && !WITH_A_WORD.has(args[at - 1] ?? ''));
  const [command = '', word = ''] = words;
  const known = Object.hasOwn(READERS, command) ? READERS[command] : undefined;
  const isReader = known === 'all' ? !args.includes('--rebuild-ledger') : known?.includes(word) === true;
  return isReader ? 0 : OF_SIGPIPE;
}
