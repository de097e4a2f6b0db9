import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { bodyPartsOf, partsOf } from '../../text/parts.ts';

/** Rows of one step: some 50 ms, in which no message can be stored. */
export const STEP_ROWS = 500;

/** Functions that the triggers of the full text call. To be done on every connection that writes messages. */
export function registerTextFunctions(db: SqliteDatabase): void {
  db.function('text_parts', { deterministic: true }, (text: unknown) => partsOf(String(text)));
  db.function('body_parts', { deterministic: true }, (body: unknown, attachments: unknown) => bodyPartsOf(String(body), String(attachments)));
}

/** Which rows the indexes that are being made have; `undefined`: they are whole, and have their names. */
function doneUpTo(db: SqliteDatabase): number | undefined {
  return db.prepare<[], number>(`SELECT value FROM meta WHERE key = 'full_text_done'`).pluck().get();
}

/**
 * One step of the full text of a store of before, in a transaction of its own: the next rows, or its end. A kill between two
 * steps costs nothing, one within a step that step. While there is another one to come the old full text answers.
 *
 * @returns whether it is whole
 */
export function fillFullText(db: SqliteDatabase, rows = STEP_ROWS): boolean {
  if (doneUpTo(db) === undefined) return true;
  return db.transaction(() => fillStep(db, rows)).immediate();
}

/** In the caller's transaction. */
function fillStep(db: SqliteDatabase, rows: number): boolean {
  const done = doneUpTo(db);
  if (done === undefined) return true;
  const upTo = db
    .prepare<[number, number], number | null>('SELECT max(id) FROM (SELECT id FROM messages WHERE id > ? ORDER BY id LIMIT ?)')
    .pluck()
    .get(done, rows);
  if (upTo === null || upTo === undefined) {
    finish(db);
    return true;
  }
  db.prepare(`INSERT INTO fts_next (${COLUMNS}) ${ROWS} WHERE id > ? AND id <= ?`).run(done, upTo);
  db.prepare(`INSERT INTO grams_next (rowid, text) ${GRAMS} WHERE id > ? AND id <= ?`).run(done, upTo);
  db.prepare(`UPDATE meta SET value = ? WHERE key = 'full_text_done'`).run(upTo);
  return false;
}

/** All steps at once, in the caller's transaction, for a rebuild. */
export function finishFullText(db: SqliteDatabase): void {
  if (doneUpTo(db) !== undefined) finish(db);
}

const COLUMNS = 'rowid, message_id, subject, body, subject_parts, body_parts';
const ROWS = 'SELECT id, id, subject, body_md, text_parts(subject), body_parts(body_md, attachments) FROM messages';
const GRAMS = 'SELECT id, subject || char(10) || body_md FROM messages';
const NEW_ROW = `INSERT INTO fts_messages (${COLUMNS})
    VALUES (new.id, new.id, new.subject, new.body_md, text_parts(new.subject), body_parts(new.body_md, new.attachments));
  INSERT INTO fts_grams (rowid, text) VALUES (new.id, new.subject || char(10) || new.body_md);`;
const OLD_ROW = 'DELETE FROM fts_messages WHERE rowid = old.id; DELETE FROM fts_grams WHERE rowid = old.id;';

/** What a rebuild makes anew of messages: table, weights, columns, rows. */
export const MESSAGE_TEXTS = [
  ['fts_messages', 'bm25(0.0, 10.0, 1.0, 5.0, 0.5)', COLUMNS, ROWS],
  ['fts_grams', undefined, 'rowid, text', GRAMS],
] as const;

/** The indexes take the places of the old one. Readers prepare their statements again, and see one or the other. */
function finish(db: SqliteDatabase): void {
  db.exec(`
    DROP TRIGGER messages_fts_insert; DROP TRIGGER messages_fts_delete; DROP TRIGGER messages_fts_update;
    DROP TRIGGER messages_next_insert; DROP TRIGGER messages_next_delete; DROP TRIGGER messages_next_update;
    DROP TABLE fts_messages;
    ALTER TABLE fts_next RENAME TO fts_messages;
    ALTER TABLE grams_next RENAME TO fts_grams;
    CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN ${NEW_ROW} END;
    CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN ${OLD_ROW} END;
    CREATE TRIGGER messages_fts_update AFTER UPDATE OF subject, body_md, attachments ON messages
    WHEN old.subject <> new.subject OR old.body_md <> new.body_md OR old.attachments <> new.attachments BEGIN ${OLD_ROW} ${NEW_ROW} END;
    DELETE FROM meta WHERE key = 'full_text_done';
    UPDATE meta SET value = value + 1 WHERE key = 'data_version'`);
}
