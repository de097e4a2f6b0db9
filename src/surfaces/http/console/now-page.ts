import { isWritError } from '../../../core/errors.ts';
import type { QueueFigures } from '../../../core/ports/index.ts';
import { duration } from '../../../core/units.ts';
import { type Html, html } from './html.ts';
import { factsOf, tableOf } from './page.ts';
import type { ConsoleServices } from './services.ts';
import { ago } from './times.ts';

const MINUTE_MS = 60_000;
/** Tasks of the last minute that are counted. */
const MAX_COUNTED = 500;

/** Throughput and ages: what queues and index say at this moment, each alone when the other is away. */
export async function nowPage({ queues, index, clock }: Pick<ConsoleServices, 'queues' | 'index' | 'clock'>): Promise<Html> {
  const now = clock.now();
  const since = new Date(now - MINUTE_MS).toISOString();
  const ended = (state: 'success' | 'failure'): Promise<string> =>
    index.list({ state, since }, { limit: MAX_COUNTED }).then(({ tasks, next }) => (next === undefined ? String(tasks.length) : `${MAX_COUNTED} or more`));
  const [figures, done, failed, newest] = await Promise.all([
    told(queues.list()),
    told(ended('success')),
    told(ended('failure')),
    told(index.list({}, { limit: 1 }).then(({ tasks }) => tasks[0])),
  ]);
  const { state, tasks, lagMs, problem } = index.health();
  return html`<p><a href="/console">Refresh</a></p>
<h2>Queues</h2>${typeof figures === 'string' ? trouble(figures) : queueTable(figures)}
<h2>The last minute</h2>${factsOf([
    ['succeeded', typeof done === 'string' ? done : undefined],
    ['failed', typeof failed === 'string' ? failed : undefined],
    ['last change', typeof newest === 'object' ? ago(newest.updated_at, now) : undefined],
    ['tasks in the index', tasks],
    ['index', problem === undefined ? `${state}, ${duration(lagMs)} behind` : `${state}: ${problem}`],
  ])}`;
}

/** The value, or why there is none, in a sentence. */
async function told<T>(value: Promise<T>): Promise<T | string> {
  try {
    return await value;
  } catch (error) {
    if (isWritError(error)) return `${error.message} (${error.code})`;
    throw error;
  }
}

export function trouble(sentence: string): Html {
  return html`<p class="trouble" role="alert">${sentence}</p>`;
}

const COLUMNS = [
  { title: 'queue' },
  { title: 'waiting', isNumber: true },
  { title: 'oldest', isNumber: true },
  { title: 'active', isNumber: true },
  { title: 'delayed', isNumber: true },
  { title: 'failed', isNumber: true },
  { title: 'workers', isNumber: true },
] as const;

function queueTable(figures: readonly QueueFigures[]): Html {
  const rows = figures.map(({ queue, paused, waiting, oldestWaitingMs, active, delayed, failed, workers }) => [
    paused ? `${queue} (paused)` : queue,
    ...[waiting, oldestWaitingMs === undefined ? '-' : duration(oldestWaitingMs), active, delayed, failed, workers],
  ]);
  return tableOf('Jobs and workers now', COLUMNS, rows, 'There is no queue.');
}
