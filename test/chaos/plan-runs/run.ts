import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { passTheCrowd } from '../../support/plan-crowd.ts';
import { campaign } from './campaign.ts';
import { EVERY_POINT, killAtEachPoint } from './points.ts';

/**
 * `npm run test:long -- plan-runs [--rounds 300] [--seed n]`: a worker killed at every point of the protocol in every kind of
 * step, then plans of thirty steps whose workers are killed at random; against the same plans in peace. Before that, 1,000 plans that wait.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '300' },
    seed: { type: 'string', default: '20261121' },
    lanes: { type: 'string', default: '8' },
    evidence: { type: 'string', default: evidencePath('plan-runs') },
  },
});
const QUICK_MS = 1000;
const startedAt = new Date();
const commit = revision();
const seed = Number(values.seed);
const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const lanes = Number(values.lanes);
// As issue 5 has it: 1,000 wait for one slow provider on the default configuration, and a new plan with a copy is quick.
const crowd = await passTheCrowd({ plans: 1000, calls: 256, timeoutMs: 240_000 });
tell(`a new plan passed 1,000 others in ${crowd.ms} ms`);
const points = await killAtEachPoint(EVERY_POINT, tell);
const report = await campaign({ seed, rounds: Number(values.rounds), lanes, originals: lanes, tell });
const isQuick = crowd.isCopied && crowd.held === 256 && crowd.ms < QUICK_MS;
const passed = isQuick && [...points.violations, ...report.violations].length === 0 && report.rounds === Number(values.rounds);
const document = {
  suite: 'plan-runs',
  passed,
  seed,
  ...report,
  points,
  crowd,
  startedAt: startedAt.toISOString(),
  minutes: minutesSince(startedAt.getTime()),
  commit,
};
writeEvidence(values.evidence, document);
process.stdout.write(`${JSON.stringify(document)}\n${values.evidence}\n`);
process.exit(passed ? 0 : 1);
