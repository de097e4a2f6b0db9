import { WritError } from '../../../core/errors.ts';
import type { FinishedTask, ToolJournal } from '../../../core/ports/index.ts';
import type { SqliteDatabase } from '../open.ts';
import { trimming } from '../trim.ts';

interface AttemptRow {
  readonly n: number;
  readonly manifest_sha256: string;
  readonly jti: string;
  readonly result: string | null;
  readonly state: 'open' | 'success' | 'failure' | 'withdrawn';
  readonly sent: 0 | 1;
}

interface SuccessRow {
  readonly task_id: string;
  readonly manifest_sha256: string;
  readonly result: string;
  readonly exp: number;
}

/** A request that was sent for a plan's step is never sent again, whatever the lease (docs/plan-protocol.md 5). */
const SUMMARY = `
  SELECT max(n) AS attempts, max(state = 'open') AS is_open,
    max(state = 'success' OR (sent = 1 AND task_id GLOB 's-${'[0-9a-f]'.repeat(64)}')) AS done,
    max(coalesce(closed_at, 0)) AS closed_at, max(exp) AS exp,
    (SELECT manifest_sha256 FROM attempt WHERE task_id = @taskId ORDER BY state = 'success' DESC, n DESC LIMIT 1) AS manifest_sha256,
    0 AS is_wanted
  FROM attempt WHERE task_id = @taskId`;

type Row = Record<string, string | number>;

/** The port without promises. */
export type ToolStatements = { [K in keyof ToolJournal]: (...args: Parameters<ToolJournal[K]>) => Awaited<ReturnType<ToolJournal[K]>> };

/** The operations of the tool journal on an open database; each blocks its thread and needs a transaction around it. */
export function toolStatements(db: SqliteDatabase): ToolStatements {
  const attempts = db.prepare<[string], AttemptRow>('SELECT n, manifest_sha256, jti, result, state, sent FROM attempt WHERE task_id = ? ORDER BY n');
  const insert = db.prepare<Row>(
    `INSERT INTO attempt (task_id, n, manifest_sha256, jti, exp, kid, tool, operation, opened_at)
     VALUES (@taskId, @n, @manifestSha256, @jti, @exp, @kid, @tool, @operation, @now)`,
  );
  const end = db.prepare<Row>(
    "UPDATE attempt SET state = @state, result = @result, sent = @sent, closed_at = @now WHERE task_id = @taskId AND n = @n AND state = 'open'",
  );
  const undo = db.prepare<[number, string, number]>("UPDATE attempt SET state = 'withdrawn', closed_at = ? WHERE task_id = ? AND n = ? AND state = 'open'");
  const successes = db.prepare<[string, number], SuccessRow>(
    "SELECT task_id, manifest_sha256, result, exp FROM attempt WHERE state = 'success' AND task_id > ? ORDER BY task_id LIMIT ?",
  );
  const tally = db.prepare<[], { state: string; rows: number }>('SELECT state, count(*) AS rows FROM attempt GROUP BY state');

  const trimmed = trimming(db, SUMMARY);

  return {
    view(taskId) {
      const rows = attempts.all(taskId);
      const open = rows.find(({ state }) => state === 'open');
      const success = rows.find(({ state }) => state === 'success');
      const sent = rows.findLast((row) => row.state === 'failure' && row.sent === 1);
      return {
        open: open && { n: open.n, manifestSha256: open.manifest_sha256 },
        success: success && { manifestSha256: success.manifest_sha256, result: success.result ?? '' },
        sent: sent && { manifestSha256: sent.manifest_sha256, jti: sent.jti, result: sent.result ?? '' },
        trimmed: rows.length === 0 ? trimmed.done(taskId) : undefined,
      };
    },

    open({ taskId, manifestSha256, authority, tool, operation }, now) {
      const rows = attempts.all(taskId);
      if (rows.some(({ state }) => state === 'open' || state === 'success') || trimmed.done(taskId) !== undefined) return { kind: 'conflict' };
      if (rows.some(({ sent, jti }) => sent === 1 && jti === authority.jti)) return { kind: 'spent' };
      const n = (rows.at(-1)?.n ?? trimmed.attempts(taskId)) + 1;
      insert.run({ taskId, n, manifestSha256, ...authority, tool, operation, now });
      return { kind: 'opened', n };
    },

    withdraw: (taskId, n, now) => void undo.run(now, taskId, n),

    close(taskId, n, { state, sent, result }, now) {
      const { changes } = end.run({ taskId, n, state, sent: sent ? 1 : 0, result, now });
      if (changes !== 1) throw new WritError('WRONG_STATE', `attempt ${n} of task ${taskId} is not open any more`);
    },

    // Task ids are never empty, so '' comes before the first.
    successes: (after, limit) => successes.all(after ?? '', limit).map(finishedTask),

    counts() {
      const rows = new Map(tally.all().map((row) => [row.state, row.rows]));
      return { open: rows.get('open') ?? 0, success: rows.get('success') ?? 0, failure: rows.get('failure') ?? 0 };
    },

    trim: trimmed.trim,
  };
}

function finishedTask(row: SuccessRow): FinishedTask {
  return { taskId: row.task_id, manifestSha256: row.manifest_sha256, result: row.result, exp: row.exp };
}
