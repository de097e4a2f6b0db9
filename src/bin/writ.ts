#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { packageVersion } from '../../config/package.ts';
import { loadBundle } from '../adapters/processes/bundle.ts';
import { askApi } from './cli/ask-resident.ts';

/** Commands that run from files of their own (scripts/bundle.js); a word that only looks like one takes that way too. */
const UNBUNDLED = ['up', 'api', 'worker', 'kernel', 'index-host', 'mcp', 'tui'];
const WHOLE = new URL('./whole.cjs', import.meta.url);

/** The `writ` command: runs one command line and ends with its exit code, once everything that it said is written. */
process.stdout.on('error', brokenPipe);
process.stderr.on('error', brokenPipe);
process.once('beforeExit', unsettled);
const args = process.argv.slice(2);
const code = tellVersion() ?? (await askApi(args)) ?? (await runHere());
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));

/** What nothing need be loaded for. */
function tellVersion(): number | undefined {
  if (args.length !== 1 || (args[0] !== '--version' && args[0] !== '-V')) return undefined;
  process.stdout.write(`${packageVersion()}\n`);
  return 0;
}

/** The whole program: to load it is most of what a short command costs, from one file a half of it. */
async function runHere(): Promise<number> {
  const bundle = args.some((word) => UNBUNDLED.includes(word)) ? undefined : loadBundle<typeof import('./whole.ts')>(fileURLToPath(WHOLE));
  if (bundle !== undefined && !bundle.isCompiled) process.once('exit', () => bundle.keep());
  const { runWhole } = bundle?.exports ?? (await import('./whole.ts'));
  return runWhole(args);
}

/** A reader that has seen enough (`writ vault list | head`) is no error; a role has another answer to that. */
function brokenPipe(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? 0 : 3);
}

/** Nothing is left that could end the command; Node's own answer would be a bare 13. */
function unsettled(): void {
  process.stderr.write('writ: the command waits for something that cannot come any more (INTERNAL)\n', () => process.exit(3));
}
