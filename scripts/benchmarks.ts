import path from 'node:path';
import type { Report } from '../bench/contract.ts';
import { SUITES } from '../bench/suites.ts';
import { packageRoot } from '../config/package.ts';
import { askProgram } from '../src/adapters/processes/program.ts';
import { keepReport } from './benchmarks/kept.ts';
import { busyShare, thisMachine } from './benchmarks/machine.ts';
import { minutesSince, revision } from './evidence.ts';

/**
 * `npm run benchmarks [-- <suite> …]`: the suites, all unless some are named, one after the other at full size, each in a
 * process of its own. Their reports are kept in docs/evidence/benchmarks.json, from which `npm run docs` makes
 * docs/generated/benchmarks.md and its chart.
 */
const LOOK_MS = 5_000;
const UV_THREADPOOL_SIZE = '16';

const wanted = process.argv.slice(2);
const unknown = wanted.filter((suite) => !Object.hasOwn(SUITES, suite));
const say = (line: string): void => void process.stderr.write(`${line}\n`);

if (unknown.length > 0) {
  say(`unknown suite ${unknown.join(', ')}; known: ${Object.keys(SUITES).sort().join(', ')}`);
  process.exitCode = 2;
} else {
  const machine = thisMachine();
  for (const [suite, load] of Object.entries(SUITES)) {
    if (wanted.length > 0 && !wanted.includes(suite)) continue;
    const before = await busyShare(LOOK_MS);
    const startedAt = new Date();
    say(`${suite}: ${before} of the processors are busy`);
    const report = await reportOf(suite);
    if (report === undefined) {
      // The others are still worth their time.
      say(`${suite}: no report`);
      process.exitCode = 1;
      continue;
    }
    const { metrics, ratios } = report;
    const minutes = minutesSince(startedAt.getTime());
    const busy = { before, after: await busyShare(LOOK_MS) };
    const { what } = await load();
    keepReport(suite, { what, commit: revision(), startedAt: startedAt.toISOString(), minutes, busy, machine, metrics, ratios });
  }
}

async function reportOf(suite: string): Promise<Report | undefined> {
  const bench = path.join(packageRoot(), 'dist', 'bench', 'run.js');
  const running = askProgram(process.execPath, [bench, suite, '--json'], { env: { UV_THREADPOOL_SIZE }, stderr: 'inherit' });
  // Who stops this means all of it; Ctrl-C reaches the suite by itself.
  const stop = (): never => {
    running.kill('SIGTERM');
    process.exit(143);
  };
  process.once('SIGTERM', stop);
  const { stdout, exitCode } = await running;
  process.off('SIGTERM', stop);
  const last = stdout.trim().split('\n').at(-1);
  return exitCode === 0 && last !== undefined && last !== '' ? (JSON.parse(last) as Report) : undefined;
}
