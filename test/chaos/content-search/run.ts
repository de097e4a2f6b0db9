import { rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../../config/package.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { type OracleCount, runOnRealTree, runOracle } from '../../support/content/oracle.ts';
import { realBackends, temporaryDirectory } from '../../support/content/rig.ts';

/**
 * `npm run test:long -- content-search [--trees 500] [--requests 20] [--real 200] [--real-tree DIR] [--seed N]`: the tool with
 * both real backends against the reference, on generated trees and on a real source tree (parts of node_modules by default).
 */
const { values } = parseArgs({
  options: {
    trees: { type: 'string', default: '500' },
    requests: { type: 'string', default: '20' },
    real: { type: 'string', default: '200' },
    'real-tree': { type: 'string', multiple: true },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    evidence: { type: 'string', default: evidencePath('content-search') },
  },
});

/** Real sources of some thousand files: the reference reads every one of them for every request. */
const REAL_TREES = ['src', 'node_modules/zod', 'node_modules/fastify'].map((name) => path.join(packageRoot(), name));

const started = Date.now();
const seed = Number(values.seed);
const backends = await realBackends();
const folder = temporaryDirectory('content-oracle');
const parts: Record<string, OracleCount | string> = {};

await part('generated trees', () => runOracle({ seed, folder, backends, trees: Number(values.trees), requestsPerTree: Number(values.requests) }));
for (const tree of values['real-tree'] ?? REAL_TREES) {
  await part(`real tree ${path.relative(packageRoot(), tree)}`, () => runOnRealTree({ seed, folder: tree, backends, requests: Number(values.real) }));
}

const passed = Object.values(parts).every((count) => typeof count !== 'string');
writeEvidence(values.evidence, {
  ...{ suite: 'content-search', commit: revision(), seed, passed, minutes: minutesSince(started) },
  backends: Object.values(backends).map(({ id }) => id),
  parts,
});
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${values.evidence}\n`);
process.exit(passed ? 0 : 1);

async function part(name: string, run: () => Promise<OracleCount>): Promise<void> {
  try {
    parts[name] = await run();
  } catch (error) {
    parts[name] = error instanceof Error ? error.message : String(error);
  }
  process.stdout.write(`${name}: ${JSON.stringify(parts[name])}\n`);
}
