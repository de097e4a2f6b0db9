import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { METRICS } from '../../../src/observability/events.ts';
import type { MetricRow } from '../../../src/observability/metric-row.ts';
import { ALERT_FILES, alertsOf, rulesOf } from '../../support/alerts.ts';

const RUNBOOKS = path.join(packageRoot(), 'docs', 'runbooks');
const rows = new Map(Object.entries<MetricRow>(METRICS));

describe('runbooks', () => {
  const alerts = ALERT_FILES.flatMap((file) => alertsOf(file));

  it('are one page for each alert, and each page has its alert', () => {
    const pages = readdirSync(RUNBOOKS).filter((name) => name !== 'README.md');
    expect(pages.sort()).toEqual(alerts.map(({ alert }) => `${alert}.md`).sort());
  });

  it.each(alerts.map((one) => [one.alert, one] as const))('say what %s means, what is seen and what to do', (name, { annotations, labels }) => {
    expect(annotations).toMatchObject({
      summary: expect.stringMatching(/\.$/),
      description: expect.stringMatching(/[.?]$/),
      runbook_url: `{{ with $externalLabels.runbooks }}{{ . }}{{ else }}http://127.0.0.1:8377/runbooks{{ end }}/${name}.md`,
    });
    expect(labels.severity).toMatch(/^(warning|critical)$/);
    const page = readFileSync(path.join(RUNBOOKS, `${name}.md`), 'utf8');
    const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, text]) => text);
    expect(headings).toEqual([name, 'What it means', 'What you see', 'What to do']);
    for (const [, target = ''] of page.matchAll(/\]\(([^)#]+)/g)) expect([target, readable(path.join(RUNBOOKS, target))]).toEqual([target, true]);
  });

  it('name only metrics of the contract, as the rules do', () => {
    const texts = [
      ...ALERT_FILES.flatMap((file) => rulesOf(file).map(({ expr }) => expr)),
      ...alerts.map(({ alert }) => readFileSync(path.join(RUNBOOKS, `${alert}.md`), 'utf8')),
    ];
    for (const text of texts)
      for (const [name] of text.matchAll(/(?<![:\w])(writ|process|nodejs)_[a-z0-9_]+(?![\w-])/g))
        expect([name, rows.has(name) || rows.get(name.replace(/_(bucket|sum|count)$/, ''))?.type === 'histogram']).toEqual([name, true]);
  });
});

function readable(file: string): boolean {
  try {
    return readFileSync(file).length > 0;
  } catch {
    return false;
  }
}
