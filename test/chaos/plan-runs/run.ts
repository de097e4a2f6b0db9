import path from 'node:path';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../../config/places.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../evidence.ts';
import { campaign } from './campaign.ts';

/** `npm run test:long -- plan-runs [--rounds 300] [--seed n]`: plans whose workers are killed, against the same plans in peace. */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '300' },
    seed: { type: 'string', default: '20261121' },
    lanes: { type: 'string', default: '8' },
    evidence: { type: 'string', default: evidencePath('plan-runs') },
  },
});
// Workers start from what was built: a kill costs a start, and compiling would be most of it.
process.env['WRIT_TEST_TREE'] ??= path.join(packageRoot(), 'dist');
const startedAt = new Date();
const commit = revision();
const seed = Number(values.seed);
const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const report = await campaign({ seed, rounds: Number(values.rounds), lanes: Number(values.lanes), tell });
const passed = report.violations.length === 0 && report.rounds === Number(values.rounds);
const document = { suite: 'plan-runs', passed, seed, ...report, startedAt: startedAt.toISOString(), minutes: minutesSince(startedAt.getTime()), commit };
writeEvidence(values.evidence, document);
process.stdout.write(`${JSON.stringify(document)}\n${values.evidence}\n`);
process.exit(passed ? 0 : 1);
