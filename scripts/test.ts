import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { packageRoot } from '../config/places.ts';
import { CHECKS, type Check } from './checks.ts';
import { describeResult, runChecks } from './run-checks.ts';

/**
 * `npm test`: static checks and trace, then vitest, then one closing line over both. Arguments go to vitest.
 * The reporter hands its counts over in a file, so that the line is the very last one whatever vitest prints at exit,
 * and is there even when vitest dies.
 */
const setUp: Check = { name: 'set-up', tool: [path.join(packageRoot(), 'scripts', 'setup'), '--tests'] };
const results = await runChecks([setUp, ...CHECKS], 2, (result) => process.stdout.write(describeResult(result)));
const failedChecks = results.filter(({ passed }) => !passed).length;

const directory = mkdtempSync(path.join(os.tmpdir(), 'writ-tally-'));
const tallyFile = path.join(directory, 'tally.json');
const code = await runVitest(process.argv.slice(2), tallyFile);
const tally = readTally(tallyFile);
rmSync(directory, { recursive: true });

// vitest may fail without a failing test (coverage threshold, no tests, crash): that is one failure.
const failedTests = tally.failed === 0 && code !== 0 ? 1 : tally.failed;
const failed = failedChecks + failedTests;
process.exitCode = failed === 0 ? 0 : 1;
process.stdout.write(`${results.length - failedChecks + tally.passed} passed, ${failed} failed\n`);

async function runVitest(args: readonly string[], tally: string): Promise<number> {
  const root = packageRoot();
  const vitest = path.join(root, 'node_modules', '.bin', 'vitest');
  const child = spawn(vitest, ['run', ...args], { cwd: root, stdio: 'inherit', env: { ...process.env, WRIT_TALLY_FILE: tally } });
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
}

function readTally(file: string): { passed: number; failed: number } {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { passed: number; failed: number };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
