import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../../config/package.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { ran } from '../package/ran.ts';
import { nodeOf } from './node-of.ts';

/**
 * `npm run test:long -- runtimes [--node 22,24,26] [--times 1]`: the whole test command in a clean clone under other Node.js
 * versions, native modules compiled for them. What is not committed is not tested.
 */
const { values } = parseArgs({
  options: {
    node: { type: 'string', default: '22,24,26' },
    times: { type: 'string', default: '1' },
    evidence: { type: 'string', default: evidencePath('runtimes') },
  },
});

interface Run {
  readonly node: string;
  readonly passed: number;
  readonly failed: number;
  readonly minutes: number;
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);
const home = mkdtempSync(path.join(tmpdir(), 'writ-runtimes-'));
const runs: Run[] = [];
try {
  for (const major of values.node.split(',')) {
    const node = await nodeOf(major, home);
    for (let time = 1; time <= Number(values.times); time += 1) {
      const clone = path.join(home, `clone-${major}-${time}`);
      await mustRun('git', ['clone', '--quiet', packageRoot(), clone], home);
      const started = Date.now();
      say(`${node.version}: npm test in a clean clone`);
      const { out, err } = await ran('npm', ['test'], clone, { ...node.env, CI: 'true' });
      const run = { node: node.version, ...tallyOf(out), minutes: minutesSince(started) };
      // vitest tells failures on the error stream.
      if (run.failed > 0) say(`${out}\n${err.slice(-40_000)}`);
      say(`${run.node}: ${run.passed} passed, ${run.failed} failed`);
      runs.push(run);
      rmSync(clone, { recursive: true, force: true });
    }
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
const passed = runs.every(({ failed }) => failed === 0);
writeEvidence(values.evidence, { suite: 'the whole test command under other versions of Node.js', commit: revision(), passed, runs });
process.exitCode = passed ? 0 : 1;

/** The closing line of `npm test`; without one it has not even begun. */
function tallyOf(out: string): { readonly passed: number; readonly failed: number } {
  const [, passed = '0', failed = '1'] = /(\d+) passed, (\d+) failed\s*$/.exec(out) ?? [];
  return { passed: Number(passed), failed: Number(failed) };
}

async function mustRun(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, err } = await ran(command, args, cwd);
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${err}`);
}
