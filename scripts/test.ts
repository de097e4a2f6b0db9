import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { packageRoot } from '../config/package.ts';
import { startProgram } from '../src/adapters/processes/program.ts';
import { CHECKS, type Check } from './checks.ts';
import { type CheckResult, describeResult, runChecks } from './run-checks.ts';

/**
 * `npm test`: static checks and trace, then vitest, then one closing line over both. Arguments go to vitest. While the set-up
 * still compiles, the tests that need nothing of it run beside it.
 */
const report = (result: CheckResult): void => void process.stdout.write(describeResult(result));
const words = process.argv.slice(2);
const setUp: Check = { name: 'set-up', tool: [path.join(packageRoot(), 'scripts', 'setup'), '--tests'] };
let isSetUp = false;
const settingUp = runChecks([setUp], 1, report).finally(() => {
  isSetUp = true;
});
const checked = await runChecks(CHECKS, 2, report);
const early = isSetUp || words.length > 0 ? undefined : await runVitest(words, 'early');
const results = [...(await settingUp), ...checked];
const rest = await runVitest(words, early === undefined ? undefined : 'late');

const passed = results.filter((result) => result.passed).length + (early?.passed ?? 0) + rest.passed;
const failed = results.filter((result) => !result.passed).length + (early?.failed ?? 0) + rest.failed;
process.exitCode = failed === 0 ? 0 : 1;
process.stdout.write(`${passed} passed, ${failed} failed\n`);

interface Tally {
  readonly passed: number;
  readonly failed: number;
}

/**
 * The reporter hands its counts over in a file, so that the closing line is the very last one whatever vitest prints at exit,
 * and is there even when vitest dies.
 */
async function runVitest(args: readonly string[], part: 'early' | 'late' | undefined): Promise<Tally> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'writ-tally-'));
  const tallyFile = path.join(directory, 'tally.json');
  const code = await vitest(args, { WRIT_TALLY_FILE: tallyFile, ...(part === undefined ? {} : { WRIT_TEST_PART: part }) });
  const tally = readTally(tallyFile);
  rmSync(directory, { recursive: true });
  // vitest may fail without a failing test (coverage threshold, no tests, crash): that is one failure.
  return { ...tally, failed: tally.failed === 0 && code !== 0 ? 1 : tally.failed };
}

async function vitest(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const root = packageRoot();
  const { exitCode } = await startProgram(path.join(root, 'node_modules', '.bin', 'vitest'), ['run', ...args], { cwd: root, stdio: 'inherit', env });
  return exitCode ?? 1;
}

function readTally(file: string): Tally {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Tally;
  } catch {
    return { passed: 0, failed: 1 };
  }
}
