import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { packageRoot } from '../../../config/package.ts';
import { ALERT_FILES, alertsOf } from '../../support/alerts.ts';
import type { DashboardJson } from '../../support/dashboards.ts';
import { patient } from '../../support/patience.ts';
import type { Prometheus } from '../../support/prometheus.ts';
import { meetIndexPass } from './index-pass.ts';
import { startMonitored } from './installation.ts';
import { type Panel, panelsOf, watchPanels } from './panels.ts';
import { STRIKES } from './strikes.ts';
import { type StrikeEnd, struck } from './struck.ts';
import { createTraffic } from './traffic.ts';

/** Long enough for each group of rules to be judged. */
const PEACE_MS = patient(30_000);
const ROUNDS = 4;
const SCRAPES_MS = patient(4000);

/** @param only an alert: its trouble alone; @param tell hears how it goes, line by line */
export async function monitored(only: string | undefined, tell: (line: string) => void) {
  const known = ALERT_FILES.flatMap((name) => alertsOf(name)).map(({ alert }) => alert);
  await using hurt = await startMonitored();
  const traffic = createTraffic(hurt);
  const panels = shippedPanels();
  const watch = watchPanels(panels, hurt.prometheus);
  for (let n = 0; n < ROUNDS; n += 1) {
    await traffic.round();
    // Two scrapes later there is a rate.
    await delay(SCRAPES_MS);
  }
  await meetIndexPass(hurt, watch.ask);
  await watch.ask();
  const early = await inPeace(hurt.prometheus);
  tell(`in peace stand: ${early.join(', ') || 'none'}`);

  const troubles: StrikeEnd[] = [];
  for (const strike of STRIKES.filter(({ alerts }) => only === undefined || alerts.includes(only))) {
    const end = await struck(strike, hurt, traffic, watch.ask);
    tell(`${end.alerts.join(', ')}: ${end.problem ?? `stood after ${end.seconds} s`}`);
    troubles.push(end);
  }

  await watch.ask();
  const { queries, withValue, withoutValue, refused } = watch.look();
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

/** Waits until every rule was judged, and until the first scrape is in. @returns alerts that stand although nothing is wrong */
async function inPeace(prometheus: Prometheus): Promise<readonly string[]> {
  const end = performance.now() + PEACE_MS;
  for (;;) {
    const { ailing } = await prometheus.rules();
    const standing = (await prometheus.alerts()).filter(({ state }) => state === 'firing').map(({ name }) => name);
    if ((ailing.length === 0 && standing.length === 0) || performance.now() > end) return standing;
    await delay(500);
  }
}

function shippedPanels(): readonly Panel[] {
  const folder = path.join(packageRoot(), 'grafana', 'dashboards');
  const dashboards = readdirSync(folder).sort();
  return dashboards.flatMap((name) => panelsOf(JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as DashboardJson));
}
