import { DASHBOARDS, type DashboardRow } from './dashboards.ts';
import type { Panel, Thresholds } from './panel.ts';

/** Of a row that begins with such a panel. */
const HEIGHTS = { stat: 6, timeseries: 8 } as const;
const COLUMNS = 24;
const DATASOURCE = { type: 'prometheus', uid: '$datasource' } as const;

/** A choice among the values that a label has in Prometheus. */
function choice(name: string, label: string, of: string) {
  const definition = `label_values(${of}, ${name})`;
  return {
    ...{ name, label, type: 'query', datasource: DATASOURCE, query: { query: definition, refId: name }, definition, regex: '' },
    ...{ includeAll: true, multi: true, allValue: '.*', current: { text: 'All', value: '$__all' }, refresh: 2, sort: 1, hide: 0 },
  };
}

/** Each scrape says its pool as a target label. */
const POOL = choice('pool', 'Pool', 'writ_build_info');
/** What a dashboard may offer beside the pool. */
const CHOICES = {
  queue: choice('queue', 'Queue', 'writ_queue_jobs{pool=~"$pool"}'),
  capability: choice('capability', 'Capability', 'writ_tasks_finished_total{pool=~"$pool"}'),
} satisfies Record<NonNullable<DashboardRow['choice']>, object>;

const BOARD_ADDRESS = 'http://127.0.0.1:8377/board/';
const BOARD = {
  ...{ name: 'board', label: 'Bull Board', type: 'textbox', query: BOARD_ADDRESS },
  ...{ current: { text: BOARD_ADDRESS, value: BOARD_ADDRESS }, hide: 0 },
} as const;
// Grafana puts the variable in, not JavaScript.
const BOARD_LINK = { title: 'Queues on Bull Board', url: '$' + '{board}', targetBlank: true } as const;

/** A dashboard as Grafana's provisioning reads it. */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly { readonly title: string; readonly description: string; readonly targets: readonly { readonly expr: string }[] }[];
}

/** All dashboards by the name of their file, `grafana/dashboards/<name>.json`. */
export function dashboards(): readonly (readonly [name: string, dashboard: Dashboard & Readonly<Record<string, unknown>>])[] {
  return Object.entries<DashboardRow>(DASHBOARDS).map(([name, row]) => [name, dashboardJson(name, row)]);
}

function dashboardJson(name: string, { title, choice, legend, panels }: DashboardRow): Dashboard & Readonly<Record<string, unknown>> {
  const source = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {}, hide: 0 };
  return {
    uid: `writ-${name}`,
    title: `Writ: ${title}`,
    tags: ['writ'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: '10s',
    time: { from: 'now-1h', to: 'now' },
    timezone: 'browser',
    templating: { list: [source, POOL, ...(choice === undefined ? [] : [CHOICES[choice]]), BOARD] },
    annotations: { list: [] },
    links: [
      { title: 'Bull Board', type: 'link', url: BOARD_LINK.url, targetBlank: true, icon: 'external link' },
      { title: 'Dashboards of Writ', type: 'dashboards', tags: ['writ'], asDropdown: true, includeVars: true },
    ],
    panels: placed(panels).map(([panel, gridPos], index) => panelJson(panel, gridPos, index + 1, LEGENDS[legend])),
  };
}

/** A table shows the last and the highest value of every line. */
const LEGENDS = {
  list: { displayMode: 'list', placement: 'bottom' },
  table: { displayMode: 'table', placement: 'bottom', calcs: ['lastNotNull', 'max'] },
} satisfies Record<DashboardRow['legend'], object>;

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** From left to right, then the next row. */
function placed(panels: readonly Panel[]): readonly (readonly [Panel, Place])[] {
  let x = 0;
  let y = 0;
  let h = 0;
  return panels.map((panel) => {
    if (x === 0 || x + panel.width > COLUMNS) {
      x = 0;
      y += h;
      h = HEIGHTS[panel.kind];
    }
    const place = { x, y, w: panel.width, h };
    x += panel.width;
    return [panel, place] as const;
  });
}

function panelJson({ title, description, kind, unit, queries, thresholds }: Panel, gridPos: Place, id: number, legend: object) {
  return {
    id,
    type: kind,
    title,
    description,
    gridPos,
    datasource: DATASOURCE,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        thresholds: { mode: 'absolute', steps: steps(thresholds ?? NONE) },
        color: { mode: kind === 'stat' ? 'thresholds' : 'palette-classic' },
      },
      overrides: [],
    },
    options:
      kind === 'stat'
        ? { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, colorMode: 'background', graphMode: 'area' }
        : { legend, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: Object.entries(queries).map(([legendFormat, expr], index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: DATASOURCE,
      expr: inPool(expr),
      legendFormat,
    })),
    ...(isAboutJobs(Object.values(queries)) ? { links: [BOARD_LINK] } : {}),
  };
}

/** The same query for the chosen pools. */
function inPool(expr: string): string {
  return expr.replaceAll(
    /\b((?:writ|process|nodejs)_\w+)(\{)?/g,
    (_, name: string, brace?: string) => `${name}{pool=~"$pool"${brace === undefined ? '}' : ', '}`,
  );
}

/** Panels whose next question is: which jobs? */
function isAboutJobs(queries: readonly string[]): boolean {
  return queries.some((expr) => ABOUT_JOBS.some((part) => expr.includes(part)));
}
const ABOUT_JOBS = ['writ_queue_', 'error_code'];

/** Higher than anything that is measured. */
const NONE = { warn: 1e12, bad: 1e12 } as const;

/** Grafana takes the colour of the last step at or below the value. */
function steps({ warn, bad, below }: Thresholds): readonly { color: string; value: number | null }[] {
  const [lowest, middle, highest] = below ? ['red', 'yellow', 'green'] : ['green', 'yellow', 'red'];
  const [first, second] = below ? [bad, warn] : [warn, bad];
  const all = [
    { color: lowest ?? '', value: null },
    { color: middle ?? '', value: first },
    { color: highest ?? '', value: second },
  ];
  return first === second ? all.filter((_, index) => index !== 1) : all;
}
