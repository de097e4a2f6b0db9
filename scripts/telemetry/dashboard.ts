import { INDEX_PANELS } from './index-panels.ts';
import { OVERVIEW, type Panel } from './panels.ts';
import { SEARCH_PANELS } from './search-panels.ts';

const ROW_HEIGHT = 8;
const COLUMNS = 24;
const DATASOURCE = { type: 'prometheus', uid: '$datasource' } as const;

/** The pools that Prometheus knows; each scrape says its own as a target label. */
const POOL = {
  ...{ name: 'pool', label: 'Pool', type: 'query', datasource: DATASOURCE },
  ...{ query: { query: 'label_values(writ_build_info, pool)', refId: 'pool' }, definition: 'label_values(writ_build_info, pool)', regex: '' },
  ...{ includeAll: true, multi: true, allValue: '.*', current: { text: 'All', value: '$__all' }, refresh: 2, sort: 1, hide: 0 },
} as const;

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

/** `grafana/dashboards/overview.json`. */
export function overviewDashboard(): Dashboard & Readonly<Record<string, unknown>> {
  return {
    uid: 'writ-overview',
    title: 'Writ: overview',
    tags: ['writ'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: '10s',
    time: { from: 'now-1h', to: 'now' },
    timezone: 'browser',
    templating: { list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {}, hide: 0 }, POOL, BOARD] },
    annotations: { list: [] },
    links: [
      { title: 'Bull Board', type: 'link', url: BOARD_LINK.url, targetBlank: true, icon: 'external link' },
      { title: 'Dashboards of Writ', type: 'dashboards', tags: ['writ'], asDropdown: true, includeVars: true },
    ],
    panels: placed([...OVERVIEW, ...SEARCH_PANELS, ...INDEX_PANELS]).map(([panel, gridPos], index) => panelJson(panel, gridPos, index + 1)),
  };
}

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
  return panels.map((panel) => {
    if (x + panel.width > COLUMNS) {
      x = 0;
      y += ROW_HEIGHT;
    }
    const place = { x, y, w: panel.width, h: ROW_HEIGHT };
    x += panel.width;
    return [panel, place] as const;
  });
}

function panelJson({ title, description, kind, unit, queries, thresholds }: Panel, gridPos: Place, id: number) {
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
        thresholds: { mode: 'absolute', steps: steps(thresholds) },
        color: { mode: kind === 'stat' ? 'thresholds' : 'palette-classic' },
      },
      overrides: [],
    },
    options:
      kind === 'stat'
        ? { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, colorMode: 'background', graphMode: 'area' }
        : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
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
  return expr.replaceAll(/\b(writ_\w+)(\{)?/g, (_, name: string, brace?: string) => `${name}{pool=~"$pool"${brace === undefined ? '}' : ', '}`);
}

/** Panels whose next question is: which jobs? */
function isAboutJobs(queries: readonly string[]): boolean {
  return queries.some((expr) => ABOUT_JOBS.some((part) => expr.includes(part)));
}
const ABOUT_JOBS = ['writ_queue_', 'error_code'];

/** Grafana takes the colour of the last step at or below the value. */
function steps({ warn, bad, below }: Panel['thresholds']): readonly { color: string; value: number | null }[] {
  const [lowest, middle, highest] = below ? ['red', 'yellow', 'green'] : ['green', 'yellow', 'red'];
  const [first, second] = below ? [bad, warn] : [warn, bad];
  const all = [
    { color: lowest ?? '', value: null },
    { color: middle ?? '', value: first },
    { color: highest ?? '', value: second },
  ];
  return first === second ? all.filter((_, index) => index !== 1) : all;
}
