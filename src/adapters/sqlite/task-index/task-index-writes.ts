import type { IndexBatch, IndexChange, IndexedTask, JobRef } from '../../../core/ports/index.ts';
import type { SqliteDatabase } from '../open.ts';
import { COLUMNS, rowOf, type TaskRow } from './task-index-rows.ts';

export interface IndexLimits {
  /** Rows beyond this number go, those first whose last change is longest ago. */
  readonly maxTasks: number;
  readonly maxEvents: number;
}

export interface IndexWrites {
  /** One transaction. */
  apply(batch: IndexBatch): void;
  tasks(): number;
}

/** Columns that tell where a row is found by name; they change only when a job id was used again for something else. */
const NAMES: readonly string[] = ['queue', 'job_id', 'task_id'];
const PLAN_KEY = 'substr(@plan, 1, 10)';
const settings = (columns: readonly string[]): string => [...columns.map((column) => `${column} = @${column}`), `plan_key = ${PLAN_KEY}`].join(', ');

const SQL = {
  byJob: 'SELECT * FROM task WHERE queue = @queue AND job_id = @jobId',
  insert: `INSERT INTO task (${COLUMNS.join(', ')}, plan_key) VALUES (${COLUMNS.map((column) => `@${column}`).join(', ')}, ${PLAN_KEY})`,
  update: `UPDATE task SET ${settings(COLUMNS)} WHERE n = @n`,
  // SQLite writes every index that has a column of the statement: the names are left out.
  updateSame: `UPDATE task SET ${settings(COLUMNS.filter((column) => !NAMES.includes(column)))} WHERE n = @n`,
  seen: 'UPDATE task SET seen = @seen WHERE n = @n',
  remove: 'DELETE FROM task WHERE queue = @queue AND job_id = @jobId AND seen <= @seenAt',
  removeOldest: 'DELETE FROM task WHERE n IN (SELECT n FROM task ORDER BY updated, n LIMIT @surplus)',
  count: 'SELECT count(*) AS tasks FROM task',
  lastEvent: 'SELECT max(id) AS id FROM event',
  floor: `UPDATE meta SET value = CAST(@floor AS TEXT) WHERE key = 'floor' AND CAST(value AS INTEGER) < @floor`,
  event: 'INSERT INTO event (at, id, task_id, capability_id, state, error_code) VALUES (@at, @id, @task_id, @capability_id, @state, @error_code)',
  forgetEvents: 'DELETE FROM event WHERE id <= @floor',
  position: 'INSERT INTO position (name, value) VALUES (@name, @value) ON CONFLICT (name) DO UPDATE SET value = @value',
} as const;

/** The writing statements of an open index; everything here blocks its thread. @param floor the id before the first event */
export function indexWrites(db: SqliteDatabase, { maxTasks, maxEvents }: IndexLimits, floor: number): IndexWrites {
  const byJob = db.prepare<JobRef, TaskRow>(SQL.byJob);
  const insert = db.prepare<Omit<TaskRow, 'n'>>(SQL.insert);
  const update = db.prepare<TaskRow>(SQL.update);
  const updateSame = db.prepare<TaskRow>(SQL.updateSame);
  const seen = db.prepare<{ seen: number; n: number }>(SQL.seen);
  const remove = db.prepare<JobRef & { seenAt: number }>(SQL.remove);
  const removeOldest = db.prepare<{ surplus: number }>(SQL.removeOldest);
  const event = db.prepare<object>(SQL.event);
  const raiseFloor = db.prepare<{ floor: number }>(SQL.floor);
  const forgetEvents = db.prepare<{ floor: number }>(SQL.forgetEvents);
  const position = db.prepare<{ name: string; value: string }>(SQL.position);

  let tasks = db.prepare<[], { tasks: number }>(SQL.count).get()?.tasks ?? 0;
  let last = Math.max(floor, db.prepare<[], { id: number | null }>(SQL.lastEvent).get()?.id ?? 0);

  function tell(row: Omit<TaskRow, 'n'>): void {
    last += 1;
    event.run({ at: row.updated, id: last, task_id: row.task_id, capability_id: row.capability_id, state: row.state, error_code: row.error_code });
  }

  function take(kind: 'event' | 'look', task: IndexedTask, quiet: boolean): void {
    const old = byJob.get({ queue: task.queue, jobId: task.jobId });
    const row = rowOf(task);
    if (old === undefined) {
      insert.run(row);
      tasks += 1;
    } else {
      if (row.seen < old.seen) return;
      const nothingNew = isSame(row, old) && (kind === 'look' || row.seen === old.seen);
      if (nothingNew) return void seen.run({ seen: row.seen, n: old.n });
      (row.task_id === old.task_id ? updateSame : update).run({ ...row, n: old.n });
    }
    if (!quiet) tell(row);
  }

  function one(change: IndexChange, quiet: boolean): void {
    if (change.kind === 'gone') tasks -= remove.run({ queue: change.queue, jobId: change.jobId, seenAt: change.seenAt }).changes;
    else take(change.kind, change.task, quiet);
  }

  const write = db.transaction((batch: IndexBatch) => {
    for (const change of batch.changes) one(change, batch.quiet ?? false);
    if (tasks > maxTasks) tasks -= removeOldest.run({ surplus: tasks - maxTasks }).changes;
    for (const [name, value] of Object.entries(batch.positions ?? {})) position.run({ name, value });
    // Only what the table says counts as complete.
    if (forgetEvents.run({ floor: last - maxEvents }).changes > 0) raiseFloor.run({ floor: last - maxEvents });
  });

  return {
    apply(batch) {
      const before = { tasks, last };
      try {
        write.immediate(batch);
      } catch (error) {
        ({ tasks, last } = before);
        throw error;
      }
    },
    tasks: () => tasks,
  };
}

const COMPARED = ['task_id', 'capability_id', 'state', 'error_code', 'source_path', 'destination_path', 'plan', 'attempts', 'lease_expires'] as const;

/** Whether two rows tell the same, apart from when. */
function isSame(a: Omit<TaskRow, 'n'>, b: TaskRow): boolean {
  return COMPARED.every((column) => a[column] === b[column]);
}
