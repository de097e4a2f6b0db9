import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import type { DocumentChange, MessageChanges } from '../../core/ports/message-changes.ts';

const CHANGES = `SELECT c.seq, c.kind, c.doc_id AS id, coalesce(m.subject, a.name, p.slug) AS title, coalesce(m.body_md, a.task_description, p.human_key) AS body
  FROM text_changes c
  LEFT JOIN messages m ON c.kind = 'message' AND m.id = c.doc_id
  LEFT JOIN agents a ON c.kind = 'agent' AND a.id = c.doc_id
  LEFT JOIN projects p ON c.kind = 'project' AND p.id = c.doc_id
  WHERE c.seq > ?`;

/** The change feed of a database of messages, open for reading. It stays its owner's. */
export function createChanges(db: SqliteDatabase): MessageChanges {
  const store = db.prepare<[], string>(`SELECT value FROM meta WHERE key = 'generation'`).pluck();
  const newest = db.prepare<[], number>('SELECT coalesce(max(seq), 0) FROM text_changes').pluck();
  const all = db.prepare<[number, number], DocumentChange>(`${CHANGES} ORDER BY c.seq LIMIT ?`);
  const ofKind = db.prepare<[number, string, number], DocumentChange>(`${CHANGES} AND c.kind = ? ORDER BY c.seq LIMIT ?`);
  return {
    store: () => store.get() ?? '',
    newest: () => newest.get() ?? 0,
    after: (seq, most, kind) => (kind === undefined ? all.all(seq, most) : ofKind.all(seq, kind, most)),
  };
}
