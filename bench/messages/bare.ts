import type { SqliteDatabase } from '../../src/adapters/sqlite/open.ts';
import type { EngineRequest } from '../../src/core/ports/message-engine.ts';
import { fts5Ranking } from '../../src/messages/engines/fts5/ranking.ts';
import { recipientsStatement } from '../../src/messages/store/recipients.ts';
import type { SqlValue } from '../../src/messages/visibility/sql.ts';
import { rankedSql } from '../../test/support/ranked-sql.ts';

/** A question as bare SQLite does it: ids of the page. */
export type Bare = () => number[];

/** The same page in one statement, with scope, count, least and greatest, and the order in SQL; and who got the messages. Prepared once, rows as objects. */
export function identicalSql(db: SqliteDatabase, ask: EngineRequest): Bare {
  if (ask.match.by !== 'words') throw new Error('only words are ranked');
  const { text, params } = rankedSql(ask, fts5Ranking(ask.kind, ask.match.expression), null);
  const statement = db.prepare<SqlValue[], { n: number }>(text);
  // The first row says what holds for the set, the last one only whether there are more.
  const recipientsOf = (ids: readonly number[]) => recipientsStatement({ ids, scope: ask.scope, now_us: ask.now_us });
  const recipients = db.prepare<SqlValue[], object>(recipientsOf([]).text);
  return () => {
    const ids = statement
      .all(...params)
      .slice(1, ask.limit + 1)
      .map(({ n }) => n);
    recipients.all(...recipientsOf(ids).params);
    return ids;
  };
}

/**
 * What a program would write that has no search library, as a figure beside: no snapped scores, no order kept for the next
 * page; number, best and worst of the set, the first fifty rows with their texts and senders.
 */
export function plainSql(db: SqliteDatabase, match: string, limit: number): Bare {
  const statement = db.prepare<[string, number], { id: number }>(
    `WITH hit AS MATERIALIZED (SELECT rowid AS id, bm25(fts_messages, 0.0, 10.0, 1.0) AS raw FROM fts_messages WHERE fts_messages MATCH ?),
       span AS MATERIALIZED (SELECT count(*) AS n, min(raw) AS lo, max(raw) AS hi FROM hit),
       ranked AS MATERIALIZED (SELECT id, raw FROM hit ORDER BY raw, id LIMIT ?)
     SELECT m.id, m.project_id, m.subject, m.body_md, m.created_ts, m.importance, m.ack_required, m.thread_id, a.name AS sender,
       ranked.raw, span.n, span.lo, span.hi
     FROM span CROSS JOIN ranked CROSS JOIN messages m ON m.id = ranked.id LEFT JOIN agents a ON a.id = m.sender_id`,
  );
  return () => statement.all(match, limit).map(({ id }) => id);
}

/** How many messages have a word. */
export function matching(db: SqliteDatabase, match: string): number {
  return db.prepare<[string], number>('SELECT count(*) FROM fts_messages WHERE fts_messages MATCH ?').pluck().get(match) ?? 0;
}
