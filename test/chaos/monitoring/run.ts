import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { packageRoot } from '../../../config/package.ts';
import { ALERT_FILES, alertsOf } from '../../support/alerts.ts';
import type { DashboardJson } from '../../support/dashboards.ts';
import { patient } from '../../support/patience.ts';
import { evidencePath, minutesSince, revision, writeEvidence } from '../evidence.ts';
import { startMonitored } from './installation.ts';
import { askPanels, type Panel, panelsOf } from './panels.ts';
import { STRIKES } from './strikes.ts';
import { struck } from './struck.ts';
import { createTraffic } from './traffic.ts';

/**
 * `npm run test:long -- monitoring [--only <alert>]`: real roles, a real Prometheus with the shipped rules, orders of every kind;
 * then one real trouble after the other until the alerts that name it stand. Every panel is asked at the end.
 */
const { values } = parseArgs({ options: { only: { type: 'string' }, evidence: { type: 'string', default: evidencePath('monitoring') } } });
const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const startedAt = new Date();
const commit = revision();
const folder = path.join(packageRoot(), 'grafana', 'dashboards');
const panels: readonly Panel[] = readdirSync(folder)
  .sort()
  .flatMap((name) => panelsOf(JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as DashboardJson));
const known = ALERT_FILES.flatMap((name) => alertsOf(name)).map(({ alert }) => alert);
const chosen = STRIKES.filter(({ alerts }) => values.only === undefined || alerts.includes(values.only));

await using hurt = await startMonitored();
const traffic = createTraffic(hurt);
for (let n = 0; n < 3; n += 1) await traffic.round();
tell('the traffic is under way');
// Every group of rules was judged once.
const peaceEnds = performance.now() + patient(30_000);
let rules = await hurt.prometheus.rules();
while (rules.ailing.length > 0 && performance.now() < peaceEnds) {
  await delay(500);
  rules = await hurt.prometheus.rules();
}
const early = (await hurt.prometheus.alerts()).filter(({ state }) => state === 'firing').map(({ name }) => name);
tell(`${rules.all} rules judged, ${rules.ailing.length} ail; in peace stand: ${early.join(', ') || 'none'}`);

const ends = [];
for (const strike of chosen) {
  const end = await struck(strike, hurt, traffic);
  tell(`${end.alerts.join(', ')}: ${end.problem ?? `stood after ${end.seconds} s`}`);
  ends.push(end);
}
const asked = await askPanels(panels, hurt.prometheus);
const after = await hurt.prometheus.rules();
const provoked = new Set(ends.filter(({ problem }) => problem === undefined).flatMap(({ alerts }) => alerts));
const problems = [
  ...after.ailing.map((one) => `a rule cannot be judged: ${one}`),
  ...early.map((name) => `${name} stood in peace`),
  ...ends.flatMap(({ what, problem }) => (problem === undefined ? [] : [`${what}: ${problem}`])),
  ...asked.refused,
];
const document = {
  suite: 'monitoring',
  passed: problems.length === 0 && values.only === undefined,
  rules: after.all,
  alerts: { known: known.length, provoked: provoked.size, notProvoked: known.filter((name) => !provoked.has(name)) },
  panels: { known: panels.length, queries: asked.queries, withValue: asked.withValue, withoutValue: asked.withoutValue },
  troubles: ends.map(({ what, alerts, seconds, ended }) => ({ what, alerts, seconds, ended })),
  problems,
  startedAt: startedAt.toISOString(),
  minutes: minutesSince(startedAt.getTime()),
  commit,
};
if (values.only === undefined) writeEvidence(values.evidence, document);
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
