import { randomUUID } from 'node:crypto';
import type { TaskEvent, TaskFilter, TaskPage, TaskRecord } from '../../contracts/index.ts';
import { createNotifier } from '../../core/notifier.ts';
import type { IndexBatch, IndexChange, IndexedTask, JobRef, NumberedTask, TaskIndexHealth, TaskIndexStore } from '../../core/ports/index.ts';
import { followEvents } from '../../core/task-events.ts';
import { cursorOf, indexedPath, type PageCursor, parseCursor, pathSpan, spanOf } from '../../core/task-pages.ts';

/** The twin of the SQLite task index: the same answers from a plain list, looked through from end to end. */
export function createMemoryTaskIndex({ maxTasks = Number.MAX_SAFE_INTEGER, maxEvents = 100_000 } = {}): TaskIndexStore {
  const generation = randomUUID();
  const positions: Record<string, string> = {};
  const rows = new Map<string, NumberedTask>();
  const changes = createNotifier();
  const firstFloor = Date.now() * 1000;
  let events: TaskEvent[] = [];
  let newest = firstFloor;
  let floor = firstFloor;
  let lastN = 0;
  let status: Omit<TaskIndexHealth, 'tasks'> = { state: 'building', lagMs: 0 };

  function take(kind: 'event' | 'look', told: IndexedTask, quiet: boolean): void {
    const task = withIndexedPaths(told);
    const old = rows.get(keyOf(task));
    if (old !== undefined && task.seenAt < old.task.seenAt) return;
    if (old !== undefined && sameTask(task, old.task) && (kind === 'look' || task.seenAt === old.task.seenAt)) {
      rows.set(keyOf(task), { n: old.n, task: { ...old.task, seenAt: task.seenAt } });
      return;
    }
    if (old === undefined) lastN += 1;
    rows.set(keyOf(task), { n: old?.n ?? lastN, task });
    if (quiet) return;
    newest += 1;
    const { taskId, capabilityId, state, errorCode, updatedAt } = task;
    const code = errorCode === undefined ? {} : { error_code: errorCode };
    events.push({ id: newest, task_id: taskId, capability_id: capabilityId, state, ...code, at: new Date(updatedAt).toISOString() });
  }

  function one(change: IndexChange, quiet: boolean): void {
    if (change.kind !== 'gone') {
      take(change.kind, change.task, quiet);
      return;
    }
    const old = rows.get(keyOf(change));
    if (old !== undefined && old.task.seenAt <= change.seenAt) rows.delete(keyOf(change));
  }

  async function apply(batch: IndexBatch): Promise<'applied' | 'lost'> {
    if (batch.generation !== generation) return 'lost';
    for (const change of batch.changes) one(change, batch.quiet ?? false);
    const surplus = [...rows.values()].sort((a, b) => newestFirst(b, a)).slice(0, Math.max(0, rows.size - maxTasks));
    for (const { task } of surplus) rows.delete(keyOf(task));
    if (events.length > maxEvents) {
      floor = newest - maxEvents;
      events = events.slice(-maxEvents);
    }
    Object.assign(positions, batch.positions);
    changes.wake();
    return 'applied';
  }

  const look = async (after: number) => ({ events: events.filter(({ id }) => id > after).slice(0, 500), floor, newest });

  return {
    list: async (filter, page) => listOf([...rows.values()], filter, page),
    events: (after, signal) => followEvents(after, signal, { look, changed: changes.next, ended: () => false }),
    health: () => ({ ...status, tasks: rows.size }),
    begin: async () => ({ generation, positions: { ...positions } }),
    apply,
    rows: async (jobs) => jobs.map((job) => rows.get(keyOf(job))?.task),
    unknown: async (taskIds) => {
      const known = new Set([...rows.values()].map(({ task }) => task.taskId));
      return taskIds.filter((taskId) => !known.has(taskId));
    },
    walk: async (after, limit) =>
      [...rows.values()]
        .filter(({ n }) => n > after)
        .sort((a, b) => a.n - b.n)
        .slice(0, limit),
    report(next) {
      status = next;
    },
  };
}

function withIndexedPaths(task: IndexedTask): IndexedTask {
  const indexed = (path: string | undefined): string | undefined => (path === undefined ? undefined : indexedPath(path));
  return { ...task, sourcePath: indexed(task.sourcePath), destinationPath: indexed(task.destinationPath) };
}

function keyOf({ queue, jobId }: JobRef): string {
  return JSON.stringify([queue, jobId]);
}

function sameTask(a: IndexedTask, b: IndexedTask): boolean {
  const told = ({ message, submittedAt, updatedAt, seenAt, ...rest }: IndexedTask): string => JSON.stringify(Object.entries(rest).sort());
  return told(a) === told(b);
}

function listOf(all: readonly NumberedTask[], filter: TaskFilter, { cursor, limit }: { cursor?: string; limit: number }): TaskPage {
  const before = cursor === undefined ? undefined : parseCursor(cursor);
  const found = all
    .filter(({ task }) => fits(task, filter))
    .filter((row) => before === undefined || isBefore(placeIn(row), before))
    .sort(newestFirst);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const tasks = shown.map(({ task }) => recordOf(task));
  return found.length > limit && last !== undefined ? { tasks, next: cursorOf(placeIn(last)) } : { tasks };
}

function fits(task: IndexedTask, filter: TaskFilter): boolean {
  const { from, to } = spanOf(filter);
  const wanted: readonly (readonly [string | undefined, string | undefined])[] = [
    [filter.state, task.state],
    [filter.capability, task.capabilityId],
    [filter.error_code, task.errorCode],
    [filter.plan, task.plan],
  ];
  if (wanted.some(([wish, value]) => wish !== undefined && wish !== value)) return false;
  if (task.updatedAt < from.updated || task.updatedAt >= to.updated) return false;
  return filter.path === undefined || isBeneath(task.sourcePath, filter.path) || isBeneath(task.destinationPath, filter.path);
}

function isBeneath(path: string | undefined, prefix: string): boolean {
  const { exact, from } = pathSpan(prefix);
  return path !== undefined && (path === exact || path.startsWith(from));
}

function placeIn({ n, task }: NumberedTask): PageCursor {
  return { updated: task.updatedAt, n };
}

function isBefore(a: PageCursor, b: PageCursor): boolean {
  return a.updated < b.updated || (a.updated === b.updated && a.n < b.n);
}

function newestFirst(a: NumberedTask, b: NumberedTask): number {
  return isBefore(placeIn(a), placeIn(b)) ? 1 : -1;
}

function recordOf(task: IndexedTask): TaskRecord {
  const { errorCode, message, sourcePath, destinationPath, plan, leaseExpiresAt } = task;
  return {
    task_id: task.taskId,
    capability_id: task.capabilityId,
    queue: task.queue,
    state: task.state,
    ...(errorCode === undefined ? {} : { error_code: errorCode }),
    ...(message === undefined ? {} : { message }),
    ...(sourcePath === undefined ? {} : { source_path: sourcePath }),
    ...(destinationPath === undefined ? {} : { destination_path: destinationPath }),
    ...(plan === undefined ? {} : { plan }),
    attempts: task.attempts,
    submitted_at: new Date(task.submittedAt).toISOString(),
    updated_at: new Date(task.updatedAt).toISOString(),
    ...(leaseExpiresAt === undefined ? {} : { lease_expires_at: new Date(leaseExpiresAt).toISOString() }),
  };
}
