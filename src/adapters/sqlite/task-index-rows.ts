import type { ShownState, TaskEvent, TaskRecord } from '../../contracts/index.ts';
import type { IndexedTask } from '../../core/ports/index.ts';

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

export function rowOf(task: IndexedTask): Omit<TaskRow, 'n'> {
  return {
    queue: task.queue,
    job_id: task.jobId,
    task_id: task.taskId,
    capability_id: task.capabilityId,
    state: task.state,
    error_code: task.errorCode ?? null,
    message: task.message ?? null,
    source_path: task.sourcePath ?? null,
    destination_path: task.destinationPath ?? null,
    plan: task.plan ?? null,
    attempts: task.attempts,
    submitted: task.submittedAt,
    updated: task.updatedAt,
    lease_expires: task.leaseExpiresAt ?? null,
    seen: task.seenAt,
  };
}

export function taskOf(row: TaskRow): IndexedTask {
  return {
    queue: row.queue,
    jobId: row.job_id,
    taskId: row.task_id,
    capabilityId: row.capability_id,
    state: row.state,
    errorCode: row.error_code ?? undefined,
    message: row.message ?? undefined,
    sourcePath: row.source_path ?? undefined,
    destinationPath: row.destination_path ?? undefined,
    plan: row.plan ?? undefined,
    attempts: row.attempts,
    submittedAt: row.submitted,
    updatedAt: row.updated,
    leaseExpiresAt: row.lease_expires ?? undefined,
    seenAt: row.seen,
  };
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
