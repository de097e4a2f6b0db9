import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { withoutMarks } from '../../text/marks.ts';
import { bodyPartsOf, partsOf } from '../../text/parts.ts';

/** Rows of one step: some 50 ms, in which no message can be stored. */
export const STEP_ROWS = 500;

/** Functions that the triggers of the full text call. To be done on every connection that writes messages. */
export function registerTextFunctions(db: SqliteDatabase): void {
  db.function('text_bare', { deterministic: true }, (text: unknown) => withoutMarks(String(text)));
  db.function('text_parts', { deterministic: true }, (text: unknown) => withoutMarks(partsOf(String(text))));
  db.function('body_parts', { deterministic: true }, (body: unknown, attachments: unknown) => withoutMarks(bodyPartsOf(String(body), String(attachments))));
}

/** `full_text_done`: rows of indexes that are being made; `marks_done`: rows whose full text is without marks. */
type Step = 'full_text_done' | 'marks_done';

/** Up to which row a step of the full text is done; `undefined`: up to the last. */
function doneUpTo(db: SqliteDatabase, step: Step): number | undefined {
  return db.prepare<[Step], number>('SELECT value FROM meta WHERE key = ?').pluck().get(step);
}

function setDone(db: SqliteDatabase, step: Step, row: number): void {
  db.prepare<[number, Step]>('UPDATE meta SET value = ? WHERE key = ?').run(row, step);
}

/** The last one of the next rows; `null`: there is none. */
function nextRows(db: SqliteDatabase, done: number, rows: number): number | null {
  const next = db.prepare<[number, number], number | null>('SELECT max(id) FROM (SELECT id FROM messages WHERE id > ? ORDER BY id LIMIT ?)');
  return next.pluck().get(done, rows) ?? null;
}

/**
 * One step of the full text of a store of before, in a transaction of its own: the next rows, or its end. A kill between two
 * steps costs nothing, one within a step that step. While there is another one to come the old full text answers.
 *
 * @returns whether it is whole
 */
export function fillFullText(db: SqliteDatabase, rows = STEP_ROWS): boolean {
  if (doneUpTo(db, 'full_text_done') === undefined && doneUpTo(db, 'marks_done') === undefined) return true;
  return db.transaction(() => fillStep(db, rows) && markStep(db, rows)).immediate();
}

/** In the caller's transaction. */
function fillStep(db: SqliteDatabase, rows: number): boolean {
  const done = doneUpTo(db, 'full_text_done');
  if (done === undefined) return true;
  const upTo = nextRows(db, done, rows);
  if (upTo === null) {
    finish(db);
    return true;
  }
  db.prepare(`INSERT INTO fts_next (${COLUMNS}) ${ROWS} WHERE id > ? AND id <= ?`).run(done, upTo);
  db.prepare(`INSERT INTO grams_next (rowid, text) ${GRAMS} WHERE id > ? AND id <= ?`).run(done, upTo);
  setDone(db, 'full_text_done', upTo);
  return false;
}

/** The next rows of a full text of before lose their marks, in the caller's transaction; readers ask for both until all have. */
function markStep(db: SqliteDatabase, rows: number): boolean {
  const done = doneUpTo(db, 'marks_done');
  if (done === undefined) return true;
  if (done === 0) {
    db.exec(`${DROP_TRIGGERS} ${TRIGGERS}`);
    bare(db, 'agent', 'fts_agents', ['name', 'task_description']);
    bare(db, 'project', 'fts_projects', ['slug', 'human_key']);
  }
  const upTo = nextRows(db, done, rows);
  if (upTo === null) db.exec(`DELETE FROM meta WHERE key = 'marks_done'`);
  else {
    bare(db, 'message', 'fts_messages', ['subject', 'body', 'subject_parts', 'body_parts'], [done, upTo]);
    setDone(db, 'marks_done', upTo);
  }
  db.exec(`UPDATE meta SET value = value + 1 WHERE key = 'data_version'`);
  return upTo === null;
}

/** Writes anew what has marks, and notes it as changed: a copy of the full text elsewhere has them, too. */
function bare(
  db: SqliteDatabase,
  kind: string,
  table: string,
  columns: readonly string[],
  [after, upTo]: readonly number[] = [0, Number.MAX_SAFE_INTEGER],
): void {
  const having = `rowid > ? AND rowid <= ? AND (${columns.map((column) => `text_bare(${column}) <> ${column}`).join(' OR ')})`;
  const ids = db.prepare<unknown[], number>(`SELECT rowid FROM ${table} WHERE ${having}`).pluck().all(after, upTo);
  if (ids.length === 0) return;
  db.prepare(`UPDATE ${table} SET ${columns.map((column) => `${column} = text_bare(${column})`).join(', ')} WHERE ${having}`).run(after, upTo);
  const forget = db.prepare('DELETE FROM text_changes WHERE kind = ? AND doc_id = ?');
  const note = db.prepare('INSERT INTO text_changes (kind, doc_id) VALUES (?, ?)');
  for (const id of ids) {
    forget.run(kind, id);
    note.run(kind, id);
  }
}

/** All steps at once, in the caller's transaction, for a rebuild. */
export function finishFullText(db: SqliteDatabase): void {
  if (doneUpTo(db, 'full_text_done') !== undefined) finish(db);
}

const COLUMNS = 'rowid, message_id, subject, body, subject_parts, body_parts';
const ROWS = 'SELECT id, id, text_bare(subject), text_bare(body_md), text_parts(subject), body_parts(body_md, attachments) FROM messages';
const GRAMS = 'SELECT id, subject || char(10) || body_md FROM messages';
const NEW_ROW = `INSERT INTO fts_messages (${COLUMNS})
    VALUES (new.id, new.id, text_bare(new.subject), text_bare(new.body_md), text_parts(new.subject), body_parts(new.body_md, new.attachments));
  INSERT INTO fts_grams (rowid, text) VALUES (new.id, new.subject || char(10) || new.body_md);`;
const OLD_ROW = 'DELETE FROM fts_messages WHERE rowid = old.id; DELETE FROM fts_grams WHERE rowid = old.id;';
const DROP_TRIGGERS = 'DROP TRIGGER messages_fts_insert; DROP TRIGGER messages_fts_delete; DROP TRIGGER messages_fts_update;';
const TRIGGERS = `CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN ${NEW_ROW} END;
    CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN ${OLD_ROW} END;
    CREATE TRIGGER messages_fts_update AFTER UPDATE OF subject, body_md, attachments ON messages
    WHEN old.subject <> new.subject OR old.body_md <> new.body_md OR old.attachments <> new.attachments BEGIN ${OLD_ROW} ${NEW_ROW} END;`;

/** What a rebuild makes anew of messages: table, weights, columns, rows. */
export const MESSAGE_TEXTS = [
  ['fts_messages', 'bm25(0.0, 10.0, 1.0, 5.0, 0.5)', COLUMNS, ROWS],
  ['fts_grams', undefined, 'rowid, text', GRAMS],
] as const;

/** The indexes take the places of the old one. Readers prepare their statements again, and see one or the other. */
function finish(db: SqliteDatabase): void {
  db.exec(`
    ${DROP_TRIGGERS}
    DROP TRIGGER messages_next_insert; DROP TRIGGER messages_next_delete; DROP TRIGGER messages_next_update;
    DROP TABLE fts_messages;
    ALTER TABLE fts_next RENAME TO fts_messages;
    ALTER TABLE grams_next RENAME TO fts_grams;
    ${TRIGGERS}
    DELETE FROM meta WHERE key = 'full_text_done';
    UPDATE meta SET value = value + 1 WHERE key = 'data_version'`);
}
