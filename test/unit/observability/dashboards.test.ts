import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../config/package.ts';
import { METRICS } from '../../../src/observability/events.ts';
import type { MetricRow } from '../../../src/observability/metric-row.ts';
import { type DashboardJson, exprsOf } from '../../support/dashboards.ts';

const folder = path.join(packageRoot(), 'grafana', 'dashboards');
const dashboards = readdirSync(folder).map((name) => [name, JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as DashboardJson] as const);
/** Bull Board's address is a variable of the dashboards. */
const BOARD = /^\$\{board\}$/;
const rows = new Map(Object.entries<MetricRow>(METRICS));
const room = mkdtempSync(path.join(tmpdir(), 'writ-promtool-'));
afterAll(() => rmSync(room, { recursive: true }));

function promtool(...args: readonly string[]): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return { status, stderr };
}

describe.each(dashboards)('grafana/dashboards/%s', (name, dashboard) => {
  it('has a fixed uid and takes its data source from a variable', () => {
    expect(dashboard.uid).toBe(`writ-${path.basename(name, '.json')}`);
    expect(dashboard.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    for (const { datasource, targets } of dashboard.panels)
      for (const one of [datasource, ...targets.map((target) => target.datasource)]) expect(one.uid).toBe('$datasource');
  });

  it('has panels with a title of their own, a unit, a description, thresholds and a place of their own', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    for (const { title, description, fieldConfig, gridPos } of panels) {
      expect(title).toMatch(/^[A-Z]/);
      expect(description).toMatch(/^[A-Z].*\.$/);
      expect(fieldConfig.defaults.unit).toMatch(/^[a-z]+$/);
      expect(fieldConfig.defaults.thresholds.steps.length).toBeGreaterThanOrEqual(2);
      const bounds = fieldConfig.defaults.thresholds.steps.slice(1).map(({ value }) => value ?? Number.NaN);
      expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
      const covers = panels.filter((other) => overlap(gridPos, other.gridPos));
      expect(covers.map((other) => other.title)).toEqual([title]);
    }
  });

  it('has a pool to choose, links to Bull Board, and uses each variable that it has and no other', () => {
    const names = dashboard.templating.list.map((variable) => variable.name);
    expect(names.slice(0, 2)).toEqual(['datasource', 'pool']);
    expect(new Set(names).size).toBe(names.length);
    expect(dashboard.links).toContainEqual(expect.objectContaining({ title: 'Bull Board', url: expect.stringMatching(BOARD) }));
    const text = JSON.stringify([dashboard.panels, dashboard.links, dashboard.templating]);
    const used = [...text.matchAll(/\$\{?(?!__)([a-z]+)/g)].map(([, variable = '']) => variable);
    expect([...new Set(used)].sort()).toEqual([...names].sort());
    for (const { expr } of dashboard.panels.flatMap(({ targets }) => targets))
      for (const [selector] of expr.matchAll(/\b(writ|process|nodejs)_[a-z0-9_]+(\{[^}]*\})?/g))
        expect([expr, selector]).toEqual([expr, expect.stringContaining('pool=~"$pool"')]);
  });

  it('asks only for metrics and labels of the contract, in PromQL that promtool parses', () => {
    const exprs = exprsOf(dashboard, '5m');
    for (const expr of exprs) {
      const names = [...expr.matchAll(/\b(writ|process|nodejs)_[a-z0-9_]+/g)].map(([metric]) => metric);
      expect(names.length).toBeGreaterThan(0);
      for (const metric of names) {
        const family = rows.has(metric) ? metric : metric.replace(/_(bucket|sum|count)$/, '');
        expect([metric, rows.get(family)?.type]).toEqual([metric, family === metric ? expect.stringMatching(/counter|gauge/) : 'histogram']);
        const labels = new Set([...Object.keys(rows.get(family)?.labels ?? {}), 'le', 'role', 'instance', 'pool']);
        for (const [, by = ''] of expr.matchAll(/\bby \(([^)]*)\)/g))
          for (const label of by.split(', ')) expect([expr, labels.has(label)]).toEqual([expr, true]);
        for (const [, label = ''] of expr.matchAll(/[{,]\s*([a-z_]+)\s*(?:=|!=|=~|!~)"/g)) expect([expr, labels.has(label)]).toEqual([expr, true]);
      }
    }
    const rules = path.join(room, `${name}.rules.yml`);
    const lines = exprs.flatMap((expr, index) => [`      - record: panel:expr:n${index}`, `        expr: ${JSON.stringify(expr)}`]);
    writeFileSync(rules, ['groups:', '  - name: panels', '    rules:', ...lines, ''].join('\n'));
    expect(promtool('check', 'rules', rules)).toEqual({ status: 0, stderr: '' });
  });
});

interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

describe('grafana/dashboards', () => {
  it('are the five of the operator, with variables for queue and capability where they are shown', () => {
    expect(dashboards.map(([name]) => name).sort()).toEqual(['capabilities.json', 'index.json', 'overview.json', 'queues.json', 'redis.json']);
    const variables = new Map(dashboards.map(([name, { templating }]) => [name, templating.list.map((variable) => variable.name)]));
    expect(variables.get('queues.json')).toContain('queue');
    expect(variables.get('capabilities.json')).toContain('capability');
    const linked = dashboards.flatMap(([, { panels }]) => panels).filter(({ links = [] }) => links.some(({ url }) => BOARD.test(url)));
    expect(linked.length).toBeGreaterThanOrEqual(10);
  });

  it('show every metric of the contract somewhere, but the lag of one instant', () => {
    const shown = dashboards.flatMap(([, dashboard]) => exprsOf(dashboard, '5m')).join(' ');
    const missing = [...rows.keys()].filter((name) => !shown.includes(name));
    expect(missing.sort()).toEqual(UNSHOWN);
  });
});

/** What no panel shows: the lag at one instant, which its percentile and maximum tell better. */
const UNSHOWN: readonly string[] = ['nodejs_eventloop_lag_seconds'];

describe('prometheus', () => {
  it.each(['prometheus.yml', 'local.yml'])('prometheus/%s is a configuration that promtool accepts', (name) => {
    const key = path.join(room, 'key');
    writeFileSync(key, 'secret');
    const text = readFileSync(path.join(packageRoot(), 'prometheus', name), 'utf8').replace('/run/secrets/prometheus_key', key);
    const file = path.join(room, name);
    for (const rules of ['task', 'redis', 'index', 'message'])
      copyFileSync(path.join(packageRoot(), 'prometheus', `${rules}-alerts.yml`), path.join(room, `${rules}-alerts.yml`));
    writeFileSync(file, text);
    expect(promtool('check', 'config', file)).toEqual({ status: 0, stderr: '' });
  });
});
