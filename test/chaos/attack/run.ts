import { parseArgs } from 'node:util';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { type SiegeReport, siege } from './siege.ts';

/** `npm run test:long -- attack [--seconds 30]` */
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '30' }, evidence: { type: 'string', default: evidencePath('attack') } } });
const startedAt = new Date();
const commit = revision();
const reports: SiegeReport[] = [];
for (const level of ['openat2', 'walk'] as const) {
  const report = await siege(level, Number(values.seconds));
  process.stdout.write(
    `${level}: ${report.tasks} tasks, ${report.swaps} swaps, ${report.succeeded} done, ${report.refused} refused, ${report.reverted} reverted, ${report.reported} reported, ${report.escapes.length} escapes\n`,
  );
  reports.push(report);
}
const escapes = reports.reduce((sum, report) => sum + report.escapes.length + report.vanished.length, 0);
writeEvidence(values.evidence, {
  suite: 'attack',
  escapes,
  levels: reports,
  startedAt: startedAt.toISOString(),
  minutes: minutesSince(startedAt.getTime()),
  commit,
});
process.stdout.write(`${escapes} escapes; ${values.evidence}\n`);
process.exit(escapes === 0 ? 0 : 1);
