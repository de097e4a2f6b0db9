import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../../config/package.ts';
import { ALERT_FILES } from '../../support/alerts.ts';

/** How long a condition stands before its alert fires here; in production minutes. */
const FOR = '3s';

/**
 * The configuration of docs/monitoring.md with its own rules, at the pace of a test: Prometheus scrapes every two seconds and
 * judges every second, and no alert waits longer than `FOR`. Conditions, windows, labels and annotations are as shipped.
 *
 * @param port of the API. It is scraped over TLS too: one of the two jobs finds nobody.
 */
export function monitoringFiles(port: number): Readonly<Record<string, string>> {
  const read = (name: string): string => readFileSync(path.join(packageRoot(), 'prometheus', name), 'utf8');
  const config = read('local.yml');
  const job = (name: string, scheme: string): string =>
    `  - job_name: ${name}\n    scheme: ${scheme}\n    honor_labels: true\n    tls_config: { insecure_skip_verify: true }\n    static_configs: [{ targets: ['127.0.0.1:${port}'], labels: { pool: default } }]\n`;
  const global = config
    .slice(0, config.indexOf('scrape_configs:'))
    .replace('scrape_interval: 5s', 'scrape_interval: 2s\n  evaluation_interval: 1s')
    .replace('scrape_timeout: 4s', 'scrape_timeout: 2s')
    .replace('http://127.0.0.1:8377', `http://127.0.0.1:${port}`);
  return {
    'prometheus.yml': `${global}scrape_configs:\n${job('writ', 'http')}${job('writ-tls', 'https')}`,
    ...Object.fromEntries(ALERT_FILES.map((name) => [`${name}-alerts.yml`, read(`${name}-alerts.yml`).replaceAll(/^( +for:) \d+[mh]$/gm, `$1 ${FOR}`)])),
  };
}
