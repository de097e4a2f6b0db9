import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import { MAX_WISHED_ID } from '../../../contracts/index.ts';

/**
 * Ids of messages. Our own are given in their order and may go up to 2^53; one that was wished for from outside is at most
 * `MAX_WISHED_ID` and moves nobody else's. No id is given twice: `text_changes` knows every message that ever was.
 */
export interface MessageIds {
  /** The id for a new message, the wished one where it may be had. Inside the transaction that inserts it. */
  given(wished: number | undefined): number;
  /** Behind the INSERT of that id: a wished one must not move the order of our own. */
  inserted(id: number): void;
}

export function createMessageIds(db: SqliteDatabase): MessageIds {
  const sequence = db.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'messages'`).pluck();
  const setSequence = db.prepare(`UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages'`);
  const wasGiven = db.prepare<[number], number>(`SELECT 1 FROM text_changes WHERE kind = 'message' AND doc_id = ?`).pluck();
  // The number behind the run of given ones that begins at the parameter.
  const behindRun = db
    .prepare<[number], number>(
      `SELECT t.doc_id + 1 FROM text_changes t WHERE t.kind = 'message' AND t.doc_id >= ?
       AND NOT EXISTS (SELECT 1 FROM text_changes u WHERE u.kind = 'message' AND u.doc_id = t.doc_id + 1) ORDER BY t.doc_id LIMIT 1`,
    )
    .pluck();
  let before = 0;

  return {
    given(wished) {
      before = sequence.get() ?? 0;
      if (wished !== undefined && wished <= MAX_WISHED_ID && wished > before && wasGiven.get(wished) === undefined) return wished;
      const next = before + 1;
      const own = wasGiven.get(next) === undefined ? next : (behindRun.get(next) ?? next);
      before = own;
      return own;
    },
    inserted(id) {
      if (id > before) setSequence.run(before);
    },
  };
}

/** A store that took a wished id beyond the bound goes on below it; messages that are there keep theirs until `writ messages rebuild`. */
export function mendSequence(db: SqliteDatabase): void {
  db.prepare(
    `UPDATE sqlite_sequence SET seq = coalesce((SELECT max(doc_id) FROM text_changes WHERE kind = 'message' AND doc_id <= @most), 0)
     WHERE name = 'messages' AND seq > @most`,
  ).run({ most: MAX_WISHED_ID });
}

/**
 * Gives messages beyond the bound ids behind all others, in their order. In the caller's transaction, which makes the full text
 * anew; everything in SQL, because JavaScript cannot tell such numbers apart.
 *
 * @returns how many
 */
export function renumberMessages(db: SqliteDatabase): number {
  const most = { most: MAX_WISHED_ID };
  const there = db.prepare<typeof most, number>('SELECT 1 FROM messages WHERE id > @most LIMIT 1').pluck().get(most);
  if (there === undefined) return 0;
  db.pragma('defer_foreign_keys = ON');
  db.exec('DROP TABLE IF EXISTS temp.renumbered; CREATE TEMP TABLE renumbered (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)');
  const { changes } = db
    .prepare(
      `INSERT INTO temp.renumbered SELECT id, row_number() OVER (ORDER BY id)
         + max(coalesce((SELECT max(doc_id) FROM text_changes WHERE kind = 'message' AND doc_id <= @most), 0),
               coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'messages' AND seq <= @most), 0))
       FROM messages WHERE id > @most`,
    )
    .run(most);
  db.exec(`
    UPDATE message_recipients SET message_id = (SELECT new FROM temp.renumbered WHERE old = message_id) WHERE message_id IN (SELECT old FROM temp.renumbered);
    UPDATE messages SET id = (SELECT new FROM temp.renumbered WHERE old = id) WHERE id IN (SELECT old FROM temp.renumbered);
    DELETE FROM text_changes WHERE kind = 'message' AND doc_id IN (SELECT old FROM temp.renumbered UNION SELECT new FROM temp.renumbered);
    INSERT INTO text_changes (kind, doc_id) SELECT 'message', old FROM temp.renumbered ORDER BY old;
    INSERT INTO text_changes (kind, doc_id) SELECT 'message', new FROM temp.renumbered ORDER BY new;
    UPDATE sqlite_sequence SET seq = max((SELECT max(new) FROM temp.renumbered), coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'messages' AND seq <= ${MAX_WISHED_ID}), 0))
      WHERE name = 'messages';
    DROP TABLE temp.renumbered`);
  return changes;
}
