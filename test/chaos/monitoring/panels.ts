import { type DashboardJson, exprsOf } from '../../support/dashboards.ts';
import type { Prometheus } from '../../support/prometheus.ts';

export interface Panel {
  /** `<dashboard>: <title>` */
  readonly name: string;
  readonly exprs: readonly string[];
}

/** What the panels have shown so far. */
export interface PanelLook {
  readonly queries: number;
  readonly withValue: number;
  /** Panels none of whose queries ever had a value. */
  readonly withoutValue: readonly string[];
  /** What Prometheus says against a query. */
  readonly refused: readonly string[];
}

export function panelsOf(dashboard: DashboardJson): readonly Panel[] {
  return dashboard.panels.map((panel) => ({ name: `${dashboard.uid}: ${panel.title}`, exprs: exprsOf({ ...dashboard, panels: [panel] }, '5m') }));
}

/** Asks as Grafana does, now and whenever it is told to: what one trouble shows is gone with the next. */
export function watchPanels(panels: readonly Panel[], prometheus: Prometheus): { ask(): Promise<void>; look(): PanelLook } {
  const refused = new Set<string>();
  let blank = panels;
  const hasValue = async ({ name, exprs }: Panel): Promise<boolean> => {
    const answers = await Promise.all(exprs.map((expr) => prometheus.query(expr).catch((error: unknown) => void refused.add(`${name}: ${String(error)}`))));
    return answers.some((results) => results?.some(({ value }) => !Number.isNaN(value)));
  };
  return {
    async ask() {
      const left: Panel[] = [];
      for (const panel of blank) if (!(await hasValue(panel))) left.push(panel);
      blank = left;
    },
    look: () => ({
      queries: panels.reduce((sum, { exprs }) => sum + exprs.length, 0),
      withValue: panels.length - blank.length,
      withoutValue: blank.map(({ name }) => name),
      refused: [...refused],
    }),
  };
}
