import { parseArgs } from 'node:util';
import { packageRoot } from '../../../config/package.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../../../scripts/evidence.ts';
import { startProgram } from '../../../src/adapters/processes/program.ts';
import { monitored } from './campaign.ts';

/**
 * `npm run test:long -- monitoring [--only <alert>]`: real roles, a real Prometheus with the shipped rules, orders of every kind;
 * then one real trouble after the other until the alerts that name it stand. Every panel is asked at the end. It runs in a
 * mount namespace of its own, so that nothing stays mounted, however it ends.
 */
const OWN_MOUNTS = 'WRIT_MONITORING_OWN_MOUNTS';
const { values } = parseArgs({ options: { only: { type: 'string' }, evidence: { type: 'string', default: evidencePath('monitoring') } } });

if (process.env[OWN_MOUNTS] === undefined) {
  const words = [process.getuid?.() === 0 ? '-m' : '-Urm', process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const { exitCode } = await startProgram('unshare', words, { cwd: packageRoot(), stdio: 'inherit', env: { [OWN_MOUNTS]: '1' } });
  process.exitCode = exitCode ?? 3;
} else {
  const startedAt = new Date();
  const commit = revision();
  const seen = await monitored(values.only, (line) => void process.stderr.write(`${line}\n`));
  const passed = seen.problems.length === 0;
  const document = { suite: 'monitoring', passed, ...seen, startedAt: startedAt.toISOString(), minutes: minutesSince(startedAt.getTime()), commit };
  if (values.only === undefined) writeEvidence(values.evidence, document);
  process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  process.exitCode = passed ? 0 : 1;
}
