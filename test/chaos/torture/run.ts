import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { campaign, type Report } from './campaign.ts';
import { BAD_MOODS } from './receivers.ts';
import { sumOf } from './tally.ts';

/**
 * `npm run torture -- [--minutes 10] [--seed n] [--lanes 12] [--round 3] [--moods refuses,gone] [--keep directory]`, and `npm run test:long -- torture` with the same
 * words: one installation after the other, each with the next seed and so many minutes of load and faults, until the time is over.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    lanes: { type: 'string', default: '12' },
    round: { type: 'string', default: '3' },
    moods: { type: 'string', default: BAD_MOODS.join(',') },
    keep: { type: 'string' },
    evidence: { type: 'string', default: evidencePath('torture') },
  },
});
const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const moods = BAD_MOODS.filter((mood) => values.moods.split(',').includes(mood));
const startedAt = new Date();
const commit = revision();
const until = startedAt.getTime() + Number(values.minutes) * 60_000;
const kept = values.keep === undefined ? {} : { keep: values.keep };
let interrupted = false;
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => (interrupted = true));

const reports: Report[] = [];
for (let seed = Number(values.seed); !interrupted && (reports.length === 0 || Date.now() < until); seed += 1) {
  const roundEnd = Math.min(until, Date.now() + Number(values.round) * 60_000);
  tell(`seed ${seed}`);
  const enough = (): boolean => interrupted || Date.now() > roundEnd;
  const report = await campaign({
    seed,
    moods,
    work: Number.POSITIVE_INFINITY,
    faults: Number.POSITIVE_INFINITY,
    lanes: Number(values.lanes),
    enough,
    tell,
    ...kept,
  });
  reports.push(report);
  tell(`seed ${seed}: ${report.violations.length} violations`);
}

const violations = reports.flatMap(({ seed, violations: found }) => found.map((what) => `seed ${seed}: ${what}`));
const document = {
  suite: 'torture',
  passed: violations.length === 0 && !interrupted,
  moods,
  seeds: reports.map(({ seed }) => seed),
  violations,
  // Only of the seeds that broke: whoever reads the violation needs what came before it.
  histories: Object.fromEntries(reports.filter((report) => report.violations.length > 0).map(({ seed, history }) => [seed, history])),
  sum: sumOf(reports.map(({ seed: _, violations: __, history: ___, ...tally }) => tally)),
  startedAt: startedAt.toISOString(),
  minutes: minutesSince(startedAt.getTime()),
  commit,
};
writeEvidence(values.evidence, document);
process.stdout.write(`${JSON.stringify({ ...document, histories: undefined }, null, 2)}\n${values.evidence}\n`);
process.exit(document.passed ? 0 : 1);
