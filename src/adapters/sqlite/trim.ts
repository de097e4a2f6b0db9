import type { TrimAnswer, TrimmedTask } from '../../core/ports/index.ts';
import type { SqliteDatabase } from './open.ts';

/** What trimming has to know of all attempts of one task. */
interface TaskSummary {
  readonly attempts: number;
  readonly is_open: 0 | 1;
  /** Something must not happen again. */
  readonly done: 0 | 1;
  readonly closed_at: number;
  /** Latest expiry of its leases, seconds. */
  readonly exp: number;
  readonly manifest_sha256: string;
  /** Something else still needs the attempts. */
  readonly is_wanted: 0 | 1;
}

interface Trimming {
  /** As `FileJournal.trim`. */
  trim(after: number, before: number, limit: number): TrimAnswer;
  /** How many attempts of the task were trimmed; 0: none. */
  attempts(taskId: string): number;
  /** The line of a task whose effect must not happen again. */
  done(taskId: string): TrimmedTask | undefined;
}

/**
 * Trims a table of attempts (docs/protocol.md 5): of tasks that ended long ago one line stays. Blocks its thread, and needs a
 * transaction around it.
 *
 * @param summary statement that answers one `TaskSummary` for `@taskId`, which has attempts
 */
export function trimming(db: SqliteDatabase, summary: string): Trimming {
  const window = db.prepare<{ after: number; limit: number }, { at: number; task_id: string; opened_at: number }>(
    'SELECT rowid AS at, task_id, opened_at FROM attempt WHERE rowid > @after ORDER BY rowid LIMIT @limit',
  );
  const summaryOf = db.prepare<{ taskId: string }, TaskSummary>(summary);
  const keepLine = db.prepare<{ taskId: string; manifest: Buffer; attempts: number; done: 0 | 1; closedAt: number }>(
    `INSERT INTO trimmed (task_id, manifest_sha256, attempts, done, closed_at) VALUES (@taskId, @manifest, @attempts, @done, @closedAt)
     ON CONFLICT (task_id) DO UPDATE SET manifest_sha256 = excluded.manifest_sha256, attempts = excluded.attempts, done = excluded.done, closed_at = excluded.closed_at`,
  );
  const remove = db.prepare<{ taskId: string }>('DELETE FROM attempt WHERE task_id = @taskId');
  const line = db.prepare<{ taskId: string }, { manifest_sha256: Buffer; attempts: number; done: 0 | 1; closed_at: number }>(
    'SELECT manifest_sha256, attempts, done, closed_at FROM trimmed WHERE task_id = @taskId',
  );

  function trimTask(taskId: string, before: number): boolean {
    const task = summaryOf.get({ taskId });
    if (task === undefined || task.is_open === 1 || task.is_wanted === 1) return false;
    if (Math.max(task.closed_at, task.exp * 1000) >= before) return false;
    const { attempts, done, closed_at: closedAt } = task;
    keepLine.run({ taskId, manifest: Buffer.from(task.manifest_sha256, 'hex'), attempts, done, closedAt });
    remove.run({ taskId });
    return true;
  }

  return {
    trim(after, before, limit) {
      const rows = window.all({ after, limit });
      const last = rows.at(-1);
      // Attempts are in the order in which they were opened: behind a young one there are only younger ones.
      const isEnd = last === undefined || rows.length < limit || last.opened_at >= before;
      const tasks = [...new Set(rows.map(({ task_id }) => task_id))].filter((taskId) => trimTask(taskId, before));
      return { tasks: tasks.length, last: isEnd ? undefined : last.at };
    },
    attempts: (taskId) => line.get({ taskId })?.attempts ?? 0,
    done(taskId) {
      const found = line.get({ taskId });
      return found?.done === 1 ? { manifestSha256: found.manifest_sha256.toString('hex'), closedAt: found.closed_at } : undefined;
    },
  };
}
