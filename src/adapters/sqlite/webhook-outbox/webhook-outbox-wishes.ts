import { WritError } from '../../../core/errors.ts';
import type { WantedBy, Wished } from '../../../core/ports/index.ts';
import type { SqliteDatabase } from '../open.ts';

interface WantedRow extends Wished {
  readonly endpoint: string;
}

interface ToldRow {
  readonly taskId: string;
  readonly endpoint: string;
}

/** The wishes of the outbox and their bound (docs/webhooks.md, Room), on an open database. */
export function outboxWishes(db: SqliteDatabase, { maxNotices }: { readonly maxNotices: number }) {
  const count = db.prepare<[], { rows: number }>('SELECT rows FROM wishes');
  const isThere = db.prepare<WantedRow>('SELECT 1 FROM wanted WHERE task_id = @subject AND endpoint = @endpoint AND manifest_sha256 = @manifestSha256');
  const tell = db.prepare<ToldRow>('UPDATE wanted SET told = 1 WHERE task_id = @taskId AND endpoint = @endpoint AND told = 0');
  const told = db.prepare<[number], { rows: number }>('SELECT count(*) AS rows FROM (SELECT 1 FROM wanted WHERE told = 1 LIMIT ?)');
  const forgetTold = db.prepare<[number]>(
    `DELETE FROM wanted WHERE (task_id, endpoint, manifest_sha256) IN
     (SELECT task_id, endpoint, manifest_sha256 FROM wanted WHERE told = 1 ORDER BY until LIMIT ?)`,
  );
  const insert = db.prepare<WantedRow & { readonly until: number }>(
    `INSERT INTO wanted (task_id, endpoint, manifest_sha256, until) VALUES (@subject, @endpoint, @manifestSha256, @until)
     ON CONFLICT DO UPDATE SET until = max(until, excluded.until)`,
  );
  const wishesOf = db.prepare<[string], WantedBy>('SELECT endpoint, manifest_sha256 AS manifestSha256 FROM wanted WHERE task_id = ?');
  const trim = db.prepare<[number]>('DELETE FROM wanted WHERE until < ?');

  return {
    /** Throws WritError STORAGE_UNAVAILABLE, having written nothing, when so many tasks that were not told are wanted already. */
    want(wished: readonly Wished[], names: readonly string[], until: number): void {
      const wishes = wished.flatMap(({ subject, manifestSha256 }) => names.map((endpoint) => ({ subject, manifestSha256, endpoint })));
      const over = (count.get()?.rows ?? 0) + wishes.filter((wish) => isThere.get(wish) === undefined).length - maxNotices;
      if (over > 0) makeRoom(over);
      for (const wish of wishes) insert.run({ ...wish, until });
    },

    /** There is a notice of it. That a new one comes a trigger tells; this one may be there already. */
    told: ({ taskId, endpoint }: ToldRow): void => void tell.run({ taskId, endpoint }),

    wantedBy: (taskIds: readonly string[]) => new Map(taskIds.map((taskId) => [taskId, wishesOf.all(taskId)])),

    trim: (now: number): void => void trim.run(now),
  };

  /** Whoever was told of a task has what he asked for; only another end of the same task would be told him once more. */
  function makeRoom(over: number): void {
    if ((told.get(over)?.rows ?? 0) < over)
      throw new WritError('STORAGE_UNAVAILABLE', `the outbox of webhooks is full: ${maxNotices} tasks are wanted, and have not ended`);
    forgetTold.run(over);
  }
}
