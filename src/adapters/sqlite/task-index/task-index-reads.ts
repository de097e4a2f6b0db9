import type { IndexedTask, JobRef, NumberedTask } from '../../../core/ports/index.ts';
import type { EventLook } from '../../../core/task-events.ts';
import type { SqliteDatabase } from '../open.ts';
import { type EventRow, eventOf, type TaskRow, taskOf } from './task-index-rows.ts';

export interface IndexReads {
  positions(): Readonly<Record<string, string>>;
  rows(jobs: readonly JobRef[]): readonly (IndexedTask | undefined)[];
  unknown(taskIds: readonly string[]): readonly string[];
  walk(after: number, limit: number): readonly NumberedTask[];
  look(after: number): EventLook;
}

/** Events that one look hands out. */
const LOOK = 500;

const SQL = {
  positions: 'SELECT name, value FROM position',
  byJob: 'SELECT * FROM task WHERE queue = @queue AND job_id = @jobId',
  byTask: `SELECT 1 FROM task WHERE job_id = 't_' || @taskId AND task_id = @taskId
    UNION ALL SELECT 1 FROM task INDEXED BY task_by_id WHERE task_id = @taskId AND job_id <> 't_' || task_id LIMIT 1`,
  walk: 'SELECT * FROM task WHERE n > @after ORDER BY n LIMIT @limit',
  floor: `SELECT value FROM meta WHERE key = 'floor'`,
  newest: 'SELECT max(id) AS id FROM event',
  events: 'SELECT * FROM event WHERE id > @after ORDER BY id LIMIT @limit',
} as const;

/** The reading statements of whoever feeds the index; everything here blocks its thread. */
export function indexReads(db: SqliteDatabase): IndexReads {
  const positions = db.prepare<[], { name: string; value: string }>(SQL.positions);
  const byJob = db.prepare<JobRef, TaskRow>(SQL.byJob);
  const byTask = db.prepare<{ taskId: string }>(SQL.byTask);
  const floor = db.prepare<[], { value: string }>(SQL.floor);
  const newest = db.prepare<[], { id: number | null }>(SQL.newest);
  const events = db.prepare<{ after: number; limit: number }, EventRow>(SQL.events);
  const walk = db.prepare<{ after: number; limit: number }, TaskRow>(SQL.walk);

  return {
    positions: () => Object.fromEntries(positions.all().map(({ name, value }) => [name, value])),
    rows: (jobs) =>
      jobs.map(({ queue, jobId }) => {
        const row = byJob.get({ queue, jobId });
        return row && taskOf(row);
      }),
    unknown: (taskIds) => taskIds.filter((taskId) => byTask.get({ taskId }) === undefined),
    walk: (after, limit) => walk.all({ after, limit }).map((row) => ({ n: row.n, task: taskOf(row) })),
    look(after) {
      const lowest = Number(floor.get()?.value);
      return { events: events.all({ after, limit: LOOK }).map(eventOf), floor: lowest, newest: newest.get()?.id ?? lowest };
    },
  };
}
