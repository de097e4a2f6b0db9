import type { GeneratedFile } from './generated.ts';
import { dashboards } from './telemetry/dashboard.ts';
import { metricsDocument } from './telemetry/metrics-document.ts';

/** What is written from the telemetry contract and the tables of panels. */
export function telemetryFiles(): GeneratedFile[] {
  return [
    { path: 'docs/generated/metrics.md', content: metricsDocument() },
    ...dashboards().map(([name, dashboard]) => ({ path: `grafana/dashboards/${name}.json`, content: `${JSON.stringify(dashboard, null, 2)}\n` })),
  ];
}
