import type { ShownState, TaskEvent, TaskRecord } from '../../../contracts/index.ts';
import type { IndexedTask } from '../../../core/ports/index.ts';
import { indexedPath } from '../../../core/task-pages.ts';

/** A row of `task`, in the names of its columns. */
export interface TaskRow {
  readonly n: number;
  readonly queue: string;
  readonly job_id: string;
  readonly task_id: string;
  readonly capability_id: string;
  readonly state: ShownState;
  readonly error_code: string | null;
  readonly message: string | null;
  readonly source_path: string | null;
  readonly destination_path: string | null;
  readonly plan: string | null;
  readonly attempts: number;
  readonly submitted: number;
  readonly updated: number;
  readonly lease_expires: number | null;
  readonly seen: number;
}

/** A row of `event`. */
export interface EventRow {
  readonly id: number;
  readonly at: number;
  readonly task_id: string;
  readonly capability_id: string;
  readonly state: ShownState;
  readonly error_code: string | null;
}

/** Field of a task → its column. */
const COLUMN = {
  queue: 'queue',
  jobId: 'job_id',
  taskId: 'task_id',
  capabilityId: 'capability_id',
  state: 'state',
  errorCode: 'error_code',
  message: 'message',
  sourcePath: 'source_path',
  destinationPath: 'destination_path',
  plan: 'plan',
  attempts: 'attempts',
  submittedAt: 'submitted',
  updatedAt: 'updated',
  leaseExpiresAt: 'lease_expires',
  seenAt: 'seen',
} as const satisfies Record<keyof IndexedTask, keyof TaskRow>;

const PAIRS = Object.entries(COLUMN) as [keyof IndexedTask, Exclude<keyof TaskRow, 'n'>][];
/** Every column but the number. */
export const COLUMNS = PAIRS.map(([, column]) => column);

export function rowOf(task: IndexedTask): Omit<TaskRow, 'n'> {
  const row: Record<string, string | number | null> = {};
  for (const [field, column] of PAIRS) row[column] = task[field] ?? null;
  for (const column of ['source_path', 'destination_path'] as const) if (typeof row[column] === 'string') row[column] = indexedPath(row[column]);
  return row as Omit<TaskRow, 'n'>;
}

export function taskOf(row: TaskRow): IndexedTask {
  const task: Partial<Record<keyof IndexedTask, string | number | undefined>> = {};
  for (const [field, column] of PAIRS) task[field] = row[column] ?? undefined;
  return task as IndexedTask;
}

export function recordOf(row: TaskRow): TaskRecord {
  return {
    task_id: row.task_id,
    capability_id: row.capability_id,
    queue: row.queue,
    state: row.state,
    ...(row.error_code === null ? {} : { error_code: row.error_code }),
    ...(row.message === null ? {} : { message: row.message }),
    ...(row.source_path === null ? {} : { source_path: row.source_path }),
    ...(row.destination_path === null ? {} : { destination_path: row.destination_path }),
    ...(row.plan === null ? {} : { plan: row.plan }),
    attempts: row.attempts,
    submitted_at: time(row.submitted),
    updated_at: time(row.updated),
    ...(row.lease_expires === null ? {} : { lease_expires_at: time(row.lease_expires) }),
  };
}

export function eventOf(row: EventRow): TaskEvent {
  const code = row.error_code === null ? {} : { error_code: row.error_code };
  return { id: row.id, task_id: row.task_id, capability_id: row.capability_id, state: row.state, ...code, at: time(row.at) };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
