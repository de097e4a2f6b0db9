import { CAPABILITIES } from './capabilities-panels.ts';
import { INDEX_PANELS } from './index-panels.ts';
import { INDEX_SAFETY } from './index-safety-panels.ts';
import { MESSAGE_PANELS } from './message-panels.ts';
import { OVERVIEW } from './overview-panels.ts';
import type { Panel } from './panel.ts';
import { QUEUES } from './queues-panels.ts';
import { REDIS } from './redis-panels.ts';
import { SEARCH_PANELS } from './search-panels.ts';

export interface DashboardRow {
  readonly title: string;
  /** A variable beside the pool; its panels name it in their queries. */
  readonly choice?: 'queue' | 'capability';
  readonly legend: 'list' | 'table';
  readonly panels: readonly Panel[];
}

/** The dashboards by the name of their file: what is in them is in the tables of panels. */
export const DASHBOARDS = {
  overview: { title: 'overview', legend: 'list', panels: [...OVERVIEW, ...SEARCH_PANELS, ...INDEX_PANELS, ...MESSAGE_PANELS] },
  queues: { title: 'Queues and workers', choice: 'queue', legend: 'table', panels: QUEUES },
  capabilities: { title: 'Capabilities and errors', choice: 'capability', legend: 'table', panels: CAPABILITIES },
  index: { title: 'Index safety', legend: 'table', panels: INDEX_SAFETY },
  redis: { title: 'Redis and host', legend: 'table', panels: REDIS },
} satisfies Record<string, DashboardRow>;
