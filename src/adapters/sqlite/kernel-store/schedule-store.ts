import { ScheduleDefinition } from '../../../contracts/index.ts';
import type { Firing, ScheduleAuditEntry, ScheduleStore, StoredEnvelope, StoredSchedule } from '../../../core/ports/index.ts';
import type { SqliteDatabase } from '../open.ts';

interface ScheduleRow {
  id: string;
  definition: string;
  state: StoredSchedule['state'];
  cursor: number;
  next: number | null;
  by: string | null;
  at: number;
  since: number;
}

interface FiringRow {
  task_id: string;
  schedule: string;
  planned: number;
  manifest_sha256: string;
  manifest: string;
  terms: string;
  state: Firing['state'];
  detail: string | null;
  pushes: number;
  look_at: number | null;
}

/** Schedules and their firings in the kernel's database. */
export function scheduleStore(db: SqliteDatabase): ScheduleStore {
  const one = db.prepare<[string], ScheduleRow>('SELECT * FROM schedule WHERE id = ?');
  const all = db.prepare<[], ScheduleRow>('SELECT * FROM schedule ORDER BY id');
  const ripe = db.prepare<[number, number], ScheduleRow>(`SELECT * FROM schedule WHERE state = 'active' AND (next <= ? OR cursor > ?) ORDER BY id`);
  const put = db.prepare<ScheduleRow>(
    'INSERT OR REPLACE INTO schedule (id, definition, state, cursor, next, by, at, since) VALUES (@id, @definition, @state, @cursor, @next, @by, @at, @since)',
  );
  const move = db.prepare<{ id: string; cursor: number; next: number | null }>('UPDATE schedule SET cursor = @cursor, next = @next WHERE id = @id');
  const keep = db.prepare<StoredEnvelope>('INSERT INTO schedule_envelope (sha256, text) VALUES (@sha256, @text) ON CONFLICT DO NOTHING');
  const envelope = db.prepare<[string], { text: string }>('SELECT text FROM schedule_envelope WHERE sha256 = ?');
  const unneeded = db.prepare<[]>(
    `DELETE FROM schedule_envelope AS e
     WHERE NOT EXISTS (SELECT 1 FROM schedule WHERE json_extract(definition, '$.plan_sha256') = e.sha256)
       AND NOT EXISTS (SELECT 1 FROM firing WHERE look_at IS NOT NULL AND json_extract(manifest, '$.envelope_sha256') = e.sha256)`,
  );
  const remove = db.prepare<[string]>('DELETE FROM schedule WHERE id = ?');
  const skipDue = db.prepare<[string]>(`UPDATE firing SET state = 'skipped', detail = 'removed', look_at = NULL WHERE schedule = ? AND state = 'due'`);
  const audit = db.prepare<[number, string, string, string | null, string]>(
    'INSERT INTO schedule_audit (at, action, schedule, by, details) VALUES (?, ?, ?, ?, ?)',
  );
  const insert = db.prepare<FiringRow>(
    `INSERT INTO firing (task_id, schedule, planned, manifest_sha256, manifest, terms, state, detail, pushes, look_at)
     VALUES (@task_id, @schedule, @planned, @manifest_sha256, @manifest, @terms, @state, @detail, @pushes, @look_at)
     ON CONFLICT (task_id) DO UPDATE SET state = @state, detail = @detail, look_at = @look_at, terms = @terms WHERE state = 'skipped'`,
  );
  const firing = db.prepare<[string], FiringRow>('SELECT * FROM firing WHERE task_id = ?');
  const newest = db.prepare<[string, number], FiringRow>('SELECT * FROM firing WHERE schedule = ? ORDER BY planned DESC, task_id LIMIT ?');
  const pushed = db.prepare<[string], FiringRow>(`SELECT * FROM firing WHERE schedule = ? AND state = 'pushed' AND look_at IS NOT NULL ORDER BY look_at`);
  const open = db.prepare<[string], { n: number }>(`SELECT count(*) AS n FROM firing WHERE schedule = ? AND look_at IS NOT NULL`);
  const looks = db.prepare<[number, number], FiringRow>('SELECT * FROM firing WHERE look_at <= ? ORDER BY look_at LIMIT ?');
  const update = db.prepare<Pick<FiringRow, 'task_id' | 'state' | 'detail' | 'pushes' | 'look_at'>>(
    'UPDATE firing SET state = @state, detail = @detail, pushes = @pushes, look_at = @look_at WHERE task_id = @task_id',
  );
  const floor = db.prepare<[string], { planned: number }>('SELECT planned FROM firing_floor WHERE schedule = ?');
  const raise = db.prepare<Pick<FiringRow, 'schedule' | 'planned'>>(
    `INSERT INTO firing_floor (schedule, planned) VALUES (@schedule, @planned)
     ON CONFLICT (schedule) DO UPDATE SET planned = max(planned, excluded.planned)`,
  );
  const old = db.prepare<[number, number, number], Pick<FiringRow, 'task_id' | 'schedule' | 'planned'>>(
    `SELECT task_id, schedule, planned FROM firing AS f WHERE look_at IS NULL AND planned < ?
       AND EXISTS (SELECT 1 FROM firing AS n WHERE n.schedule = f.schedule AND n.planned > f.planned LIMIT 1 OFFSET ?)
     ORDER BY planned LIMIT ?`,
  );
  const forget = db.prepare<[string]>('DELETE FROM firing WHERE task_id = ?');
  const record = ({ action, schedule, by, details }: ScheduleAuditEntry, now: number): void =>
    void audit.run(now, action, schedule, by ?? null, JSON.stringify(details));

  return {
    schedule: (id) => optional(one.get(id), scheduleOf),
    schedules: () => all.all().map(scheduleOf),
    ripe: (minute) => ripe.all(minute, minute).map(scheduleOf),
    put: db.transaction(({ definition, next, by, ...rest }: StoredSchedule, entry: ScheduleAuditEntry, now: number, linked?: StoredEnvelope) => {
      if (linked !== undefined) keep.run(linked);
      put.run({ ...rest, definition: JSON.stringify(definition), next: next ?? null, by: by ?? null });
      record(entry, now);
    }) satisfies ScheduleStore['put'],
    remove: db.transaction((id: string, entry: ScheduleAuditEntry, now: number) => {
      skipDue.run(id);
      remove.run(id);
      record(entry, now);
    }) satisfies ScheduleStore['remove'],
    decide: db.transaction(({ id, cursor, next }: Parameters<ScheduleStore['decide']>[0], firings: readonly Firing[]) => {
      for (const each of firings) insert.run(rowOf(each));
      move.run({ id, cursor, next: next ?? null });
    }) satisfies ScheduleStore['decide'],
    envelope: (sha256) => envelope.get(sha256)?.text,
    firing: (taskId) => optional(firing.get(taskId), firingOf),
    firings: (schedule, limit) => newest.all(schedule, limit).map(firingOf),
    pushed: (schedule) => pushed.all(schedule).map(firingOf),
    open: (schedule) => open.get(schedule)?.n ?? 0,
    toLookAt: (now, limit) => looks.all(now, limit).map(firingOf),
    floor: (schedule) => floor.get(schedule)?.planned ?? -1,
    trim: db.transaction((before: number, keep: number, limit: number) => {
      const rows = old.all(before, keep - 1, limit);
      for (const { task_id, schedule, planned } of rows) {
        raise.run({ schedule, planned });
        forget.run(task_id);
      }
      unneeded.run();
      return rows.length;
    }) satisfies ScheduleStore['trim'],
    update(taskId, { state, detail, pushes, lookAt }) {
      update.run({ task_id: taskId, state, detail: detail ?? null, pushes, look_at: lookAt ?? null });
    },
  };
}

function optional<Row, Value>(row: Row | undefined, read: (row: Row) => Value): Value | undefined {
  return row === undefined ? undefined : read(row);
}

function scheduleOf({ definition, next, by, ...row }: ScheduleRow): StoredSchedule {
  return { ...row, definition: ScheduleDefinition.parse(JSON.parse(definition)), next: next ?? undefined, by: by ?? undefined };
}

/** Made once: a schema is compiled when it is first used. */
const Terms = ScheduleDefinition.pick({ ttl: true, attempts: true, priority: true });

function firingOf({ task_id, manifest_sha256, terms, detail, look_at, ...row }: FiringRow): Firing {
  return {
    ...row,
    taskId: task_id,
    manifestSha256: manifest_sha256,
    terms: Terms.parse(JSON.parse(terms)),
    detail: detail ?? undefined,
    lookAt: look_at ?? undefined,
  };
}

function rowOf({ taskId, manifestSha256, terms, detail, lookAt, ...firing }: Firing): FiringRow {
  return { ...firing, task_id: taskId, manifest_sha256: manifestSha256, terms: JSON.stringify(terms), detail: detail ?? null, look_at: lookAt ?? null };
}
