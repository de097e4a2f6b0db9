import type { QueueFigures } from '../../../core/ports/index.ts';
import { duration } from '../../../core/units.ts';
import { table } from './table.ts';

const COLUMNS = [
  { title: 'queue' },
  { title: 'waiting', align: 'right' },
  { title: 'oldest', align: 'right' },
  { title: 'active', align: 'right' },
  { title: 'delayed', align: 'right' },
  { title: 'failed', align: 'right' },
  { title: 'completed', align: 'right' },
  { title: 'workers', align: 'right' },
] as const;

/** Queues as a table, for `writ status` and `writ queue list`. */
export function queueTable(queues: readonly QueueFigures[]): string {
  const rows = queues.map((queue) => [
    queue.paused ? `${queue.queue} (paused)` : queue.queue,
    ...[
      queue.waiting,
      queue.oldestWaitingMs === undefined ? '-' : duration(queue.oldestWaitingMs),
      queue.active,
      queue.delayed,
      queue.failed,
      queue.completed,
      queue.workers,
    ].map(String),
  ]);
  return table(COLUMNS, rows);
}
