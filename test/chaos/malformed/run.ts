import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { startField } from '../field.ts';
import { flood } from './flood.ts';

/** Memory that a worker may gain after the first quarter, MiB: V8's heap breathes. */
const BREATH_MIB = 64;

/** `npm run test:long -- malformed [--jobs 100000] [--seed n]` */
const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    evidence: { type: 'string', default: evidencePath('malformed') },
  },
});
const startedAt = new Date();
const commit = revision();
const seed = Number(values.seed);
const field = await startField({ seed, workers: 1, config: { crypto: { implementation: 'node' }, log: { level: 'error' } } });
const report = await flood(field, Number(values.jobs));
await field.stop();
const flat = report.memory.end <= report.memory.warm + BREATH_MIB;
const passed = report.uncoded.length === 0 && report.untouched && report.sameWorker && report.alive && flat;
writeEvidence(values.evidence, {
  suite: 'malformed',
  seed,
  passed,
  flat,
  ...report,
  uncoded: report.uncoded.length,
  examples: report.uncoded.slice(0, 20),
  startedAt: startedAt.toISOString(),
  minutes: minutesSince(startedAt.getTime()),
  commit,
});
process.stdout.write(`${JSON.stringify({ ...report, uncoded: report.uncoded.slice(0, 20) })}\n${values.evidence}\n`);
process.exit(passed ? 0 : 1);
