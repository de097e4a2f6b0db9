import type { GeneratedFile } from './generated.ts';
import { overviewDashboard } from './telemetry/dashboard.ts';
import { metricsDocument } from './telemetry/metrics-document.ts';

/** What is written from the telemetry contract and the list of panels. */
export function telemetryFiles(): GeneratedFile[] {
  return [
    { path: 'docs/metrics.md', content: metricsDocument() },
    { path: 'grafana/dashboards/overview.json', content: `${JSON.stringify(overviewDashboard(), null, 2)}\n` },
  ];
}
