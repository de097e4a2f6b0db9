import { setTimeout as delay } from 'node:timers/promises';
import { patient } from '../../support/patience.ts';
import type { Installation } from './installation.ts';
import type { Strike } from './strike.ts';
import type { Traffic } from './traffic.ts';

export interface StrikeEnd {
  readonly what: string;
  readonly alerts: readonly string[];
  /** From the trouble to the last of the alerts. */
  readonly seconds: number;
  /** Whether they ended with their trouble; `null`: not waited for. */
  readonly ended: boolean | null;
  readonly problem?: string;
}

const STANDS_MS = patient(60_000);
const LOOK_MS = 250;

/**
 * One trouble: it strikes, its alerts must stand and lead to a page that the API serves, and end when it is mended.
 *
 * @param meanwhile is done while they stand
 */
export async function struck(
  { what, alerts, strike, mend, endsAtOnce }: Strike,
  hurt: Installation,
  traffic: Traffic,
  meanwhile: () => Promise<void>,
): Promise<StrikeEnd> {
  const begun = performance.now();
  const seconds = (): number => Math.round((performance.now() - begun) / 100) / 10;
  const seen = new Map<string, string>();
  try {
    const early = await standing(alerts, hurt);
    if (early.length > 0) return { what, alerts, seconds: 0, ended: null, problem: `${early.join(', ')} stood before` };
    const again = await strike(hurt, traffic);
    while (seen.size < alerts.length && performance.now() - begun < STANDS_MS) {
      await again?.();
      for (const { name, state, annotations } of await hurt.prometheus.alerts()) {
        if (state === 'firing' && alerts.includes(name)) seen.set(name, annotations[0]?.['runbook_url'] ?? '');
      }
      await delay(LOOK_MS);
    }
    const stood = seconds();
    await meanwhile();
    await mend(hurt);
    const silent = alerts.filter((name) => !seen.has(name));
    if (silent.length > 0) return { what, alerts, seconds: stood, ended: null, problem: `${silent.join(', ')} did not stand` };
    const lost = await lostPages([...seen.values()]);
    const ended = endsAtOnce ? await haveEnded(alerts, hurt) : null;
    const problem = lost.length > 0 ? `no runbook at ${lost.join(', ')}` : ended === false ? 'the alert went on' : undefined;
    return { what, alerts, seconds: stood, ended, ...(problem === undefined ? {} : { problem }) };
  } catch (error) {
    return { what, alerts, seconds: seconds(), ended: null, problem: String(error) };
  }
}

async function lostPages(urls: readonly string[]): Promise<readonly string[]> {
  const answers = await Promise.all(
    urls.map(async (url) => ({
      url,
      ok: await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    })),
  );
  return answers.filter(({ ok }) => !ok).map(({ url }) => url);
}

async function haveEnded(alerts: readonly string[], hurt: Installation): Promise<boolean> {
  const end = performance.now() + STANDS_MS;
  for (;;) {
    if ((await standing(alerts, hurt)).length === 0) return true;
    if (performance.now() > end) return false;
    await delay(LOOK_MS);
  }
}

/** Those of the alerts that stand now. */
async function standing(alerts: readonly string[], { prometheus }: Installation): Promise<readonly string[]> {
  const all = await prometheus.alerts();
  return all.filter(({ name, state }) => state === 'firing' && alerts.includes(name)).map(({ name }) => name);
}
