import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageRoot } from '../../../config/package.ts';
import { ALERT_FILES, alertsOf } from '../../support/alerts.ts';
import type { DashboardJson } from '../../support/dashboards.ts';
import { patient } from '../../support/patience.ts';
import type { Prometheus } from '../../support/prometheus.ts';
import { startMonitored } from './installation.ts';
import { askPanels, type Panel, panelsOf } from './panels.ts';
import { STRIKES } from './strikes.ts';
import { type StrikeEnd, struck } from './struck.ts';
import { createTraffic } from './traffic.ts';

/** Long enough for each group of rules to be judged. */
const PEACE_MS = patient(30_000);
const ROUNDS = 3;

/** @param only an alert: its trouble alone; @param tell hears how it goes, line by line */
export async function monitored(only: string | undefined, tell: (line: string) => void) {
  const known = ALERT_FILES.flatMap((name) => alertsOf(name)).map(({ alert }) => alert);
  await using hurt = await startMonitored();
  const traffic = createTraffic(hurt);
  for (let n = 0; n < ROUNDS; n += 1) await traffic.round();
  const early = await inPeace(hurt.prometheus);
  tell(`in peace stand: ${early.join(', ') || 'none'}`);

  const troubles: StrikeEnd[] = [];
  for (const strike of STRIKES.filter(({ alerts }) => only === undefined || alerts.includes(only))) {
    const end = await struck(strike, hurt, traffic);
    tell(`${end.alerts.join(', ')}: ${end.problem ?? `stood after ${end.seconds} s`}`);
    troubles.push(end);
  }

  const panels = shippedPanels();
  const { queries, withValue, withoutValue, refused } = await askPanels(panels, hurt.prometheus);
  const { all: rules, ailing } = await hurt.prometheus.rules();
  const provoked = new Set(troubles.filter(({ problem }) => problem === undefined).flatMap(({ alerts }) => alerts));
  return {
    rules,
    alerts: { known: known.length, provoked: provoked.size, notProvoked: known.filter((name) => !provoked.has(name)) },
    panels: { known: panels.length, queries, withValue, withoutValue },
    troubles,
    problems: [
      ...ailing.map((one) => `a rule cannot be judged: ${one}`),
      ...early.map((name) => `${name} stood in peace`),
      ...troubles.flatMap(({ what, problem }) => (problem === undefined ? [] : [`${what}: ${problem}`])),
      ...refused,
    ],
  };
}

/** Waits until every rule was judged. @returns alerts that stand although nothing is wrong */
async function inPeace(prometheus: Prometheus): Promise<readonly string[]> {
  const end = performance.now() + PEACE_MS;
  while ((await prometheus.rules()).ailing.length > 0 && performance.now() < end) await delay(500);
  return (await prometheus.alerts()).filter(({ state }) => state === 'firing').map(({ name }) => name);
}

function shippedPanels(): readonly Panel[] {
  const folder = path.join(packageRoot(), 'grafana', 'dashboards');
  const dashboards = readdirSync(folder).sort();
  return dashboards.flatMap((name) => panelsOf(JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as DashboardJson));
}
