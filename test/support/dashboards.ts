/** What tests look at in a dashboard of Grafana. */
export interface DashboardJson {
  readonly uid: string;
  readonly templating: { readonly list: readonly { readonly name: string; readonly type: string; readonly query: string | { readonly query: string } }[] };
  readonly links: readonly { readonly title: string; readonly url?: string }[];
  readonly panels: readonly PanelJson[];
}

export interface PanelJson {
  readonly title: string;
  readonly description: string;
  readonly links?: readonly { readonly url: string }[];
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource: { readonly uid: string };
  readonly fieldConfig: { readonly defaults: { readonly unit: string; readonly thresholds: { readonly steps: readonly { readonly value: number | null }[] } } };
  readonly targets: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}

/** All expressions, as Grafana sends them when a rate looks back for `interval` and every variable is at *All*. */
export function exprsOf({ panels }: DashboardJson, interval: string): readonly string[] {
  return panels.flatMap(({ targets }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', interval).replaceAll(/\$(pool|queue|capability)\b/g, '.*')),
  );
}
