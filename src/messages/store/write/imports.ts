import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { ImportMark, ImportProgress } from '../../../core/ports/index.ts';
import type { MessageWriter } from './message.ts';
import { type Done, NOTED, type OpOf, refused } from './parts.ts';

export interface ImportWriter {
  mark(op: OpOf<'mark'>, at: number): Done;
  told(op: OpOf<'told'>): Done;
  untold(op: OpOf<'untold'>, at: number): Done;
}

/** What the writer keeps of imports: how far each came, and which messages its passes have told of. */
export function createImportWriter(db: SqliteDatabase, removeMessage: MessageWriter['remove']): ImportWriter {
  const sql = statements(db);

  return {
    mark({ name, position, items, bad, pass, finished }, at) {
      sql.mark.run({ name, position, items, bad, pass, finished: finished ? 1 : 0, at });
      return NOTED;
    },
    told({ name, pass, messages }) {
      const source = sql.source.get(name) ?? 0;
      for (const { project, key } of messages) sql.told.run({ source, pass, project, key });
      return NOTED;
    },
    /** A message that another import tells of stays, and so does one that was changed since this was sent. */
    untold({ name, pass }, at) {
      const source = sql.source.get(name) ?? 0;
      if (sql.untold.get(source, pass) === undefined) return NOTED;
      // A source without a message is rather the wrong one: a directory that is not mounted, a database that was made anew.
      if (sql.toldNow.get(source, pass) === undefined) return refused(`${name} has no message, so what it once had is kept`);
      sql.shared.run({ source, pass });
      const removed = sql.untold.all(source, pass).filter((id) => removeMessage({ op: 'delete', id }, at).what === 'deleted').length;
      return removed === 0 ? NOTED : { what: 'deleted', times: removed, documents: removed };
    },
  };
}

function statements(db: SqliteDatabase) {
  return {
    mark: db.prepare(
      `INSERT INTO imports (name, position, items, bad, pass, finished, changed_at, updated_ts) VALUES (@name, @position, @items, @bad, @pass, @finished, @at, @at)
       ON CONFLICT DO UPDATE SET position = excluded.position, items = excluded.items, bad = excluded.bad, pass = excluded.pass,
       finished = excluded.finished, changed_at = excluded.changed_at, updated_ts = excluded.updated_ts WHERE excluded.changed_at >= changed_at`,
    ),
    source: db.prepare<[string], number>('INSERT INTO import_sources (name) VALUES (?) ON CONFLICT DO UPDATE SET name = excluded.name RETURNING id').pluck(),
    told: db.prepare<{ source: number; pass: number; project: string; key: string }>(
      `INSERT INTO import_messages (source_id, message_id, pass)
       SELECT @source, m.id, @pass FROM messages m JOIN projects p ON p.id = m.project_id WHERE p.slug = @project AND m.source_key = @key
       ON CONFLICT DO UPDATE SET pass = max(pass, excluded.pass)`,
    ),
    shared: db.prepare<{ source: number; pass: number }>(
      `DELETE FROM import_messages WHERE source_id = @source AND pass < @pass
       AND EXISTS (SELECT 1 FROM import_messages other WHERE other.message_id = import_messages.message_id AND other.source_id <> @source)`,
    ),
    toldNow: db.prepare<[number, number], number>('SELECT 1 FROM import_messages WHERE source_id = ? AND pass >= ? LIMIT 1').pluck(),
    untold: db.prepare<[number, number], number>('SELECT message_id FROM import_messages WHERE source_id = ? AND pass < ?').pluck(),
  };
}

/** The imports that went on last, the newest first. */
export function lastImports(db: SqliteDatabase, most: number): readonly ImportProgress[] {
  return db
    .prepare<[number], Omit<ImportProgress, 'finished'> & { finished: number }>(
      'SELECT name, items, bad, finished, updated_ts / 1000 AS updatedAt FROM imports ORDER BY updated_ts DESC, name LIMIT ?',
    )
    .all(most)
    .map((row) => ({ ...row, finished: row.finished === 1 }));
}

/** How far an import came, as the database of messages says it; `undefined` for one that never began. */
export function importMark(db: SqliteDatabase, name: string): ImportMark | undefined {
  const row = db
    .prepare<[string], Omit<ImportMark, 'finished'> & { finished: number }>('SELECT position, items, bad, pass, finished FROM imports WHERE name = ?')
    .get(name);
  return row && { ...row, finished: row.finished === 1 };
}
