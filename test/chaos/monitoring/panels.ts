import { type DashboardJson, exprsOf } from '../../support/dashboards.ts';
import type { Prometheus } from '../../support/prometheus.ts';

export interface Panel {
  /** `<dashboard>: <title>` */
  readonly name: string;
  readonly exprs: readonly string[];
}

export interface Asked {
  readonly queries: number;
  readonly withValue: number;
  /** Panels none of whose queries has a value, since nothing of that kind happened. */
  readonly withoutValue: readonly string[];
  /** What Prometheus says against a query. */
  readonly refused: readonly string[];
}

export function panelsOf(dashboard: DashboardJson): readonly Panel[] {
  return dashboard.panels.map((panel) => ({ name: `${dashboard.uid}: ${panel.title}`, exprs: exprsOf({ ...dashboard, panels: [panel] }, '5m') }));
}

/** Asks every query of every panel, as Grafana does. */
export async function askPanels(panels: readonly Panel[], prometheus: Prometheus): Promise<Asked> {
  const withoutValue: string[] = [];
  const refused: string[] = [];
  for (const { name, exprs } of panels) {
    const answers = await Promise.all(exprs.map((expr) => prometheus.query(expr).catch((error: unknown) => void refused.push(`${name}: ${String(error)}`))));
    if (!answers.some((results) => results?.some(({ value }) => !Number.isNaN(value)))) withoutValue.push(name);
  }
  const queries = panels.reduce((sum, { exprs }) => sum + exprs.length, 0);
  return { queries, withValue: panels.length - withoutValue.length, withoutValue, refused };
}
