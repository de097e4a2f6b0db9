#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { packageVersion } from '../../config/package.ts';
import { loadBundle } from '../adapters/processes/bundle.ts';
import { unreadExit } from '../surfaces/cli/unread-exit.ts';
import { askApi } from './cli/ask-resident.ts';

/** What commands are loaded from (scripts/bundle.js), the first that has a word of the line; one that only looks like it takes that way too. */
const BUNDLES = [
  { words: ['tui'], file: undefined },
  { words: ['up', 'api', 'worker', 'kernel', 'index-host', 'mcp'], file: './roles.cjs' },
];

/** The `writ` command: runs one command line and ends with its exit code, once everything that it said is written. */
for (const stream of [process.stdout, process.stderr]) stream.on('error', unwritable);
process.once('beforeExit', unsettled);
const args = process.argv.slice(2);
const code = tellVersion() ?? (await askApi(args)) ?? (await runHere());
process.stdout.write('', () => (process.stdout.errored ? unwritable(process.stdout.errored) : process.stderr.write('', () => process.exit(code))));

/** What nothing need be loaded for. */
function tellVersion(): number | undefined {
  if (args.length !== 1 || (args[0] !== '--version' && args[0] !== '-V')) return undefined;
  process.stdout.write(`${packageVersion()}\n`);
  return 0;
}

/** The whole program: to load it is most of what a short command costs, from one file a half of it. */
async function runHere(): Promise<number> {
  const { file } = BUNDLES.find(({ words }) => args.some((word) => words.includes(word))) ?? { file: './whole.cjs' };
  const bundle = file === undefined ? undefined : loadBundle<typeof import('./whole.ts')>(fileURLToPath(new URL(file, import.meta.url)));
  if (bundle !== undefined && !bundle.isCompiled) process.once('exit', () => bundle.keep());
  const { runWhole } = bundle?.exports ?? (await import('./whole.ts'));
  return runWhole(args);
}

/** A reader that has seen enough (`writ vault list | head`) ends what only reads without an error; a full disk is one. A role has another answer to both. */
function unwritable({ code: why, message }: NodeJS.ErrnoException): void {
  const says = why === 'EPIPE' ? '' : `writ: what there is to say cannot be written: ${message} (STORAGE_UNAVAILABLE)\n`;
  process.stderr.write(says, () => process.exit(why === 'EPIPE' ? unreadExit(args) : 3));
}

/** Nothing is left that could end the command; Node's own answer would be a bare 13. */
function unsettled(): void {
  process.stderr.write('writ: the command waits for something that cannot come any more (INTERNAL)\n', () => process.exit(3));
}
