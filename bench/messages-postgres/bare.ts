import type { Postgresql } from '../../src/adapters/postgresql/open.ts';
import { readExpression } from '../../src/messages/engines/postgresql/expression.ts';
import type { Tokens } from '../../src/messages/engines/postgresql/tokens.ts';
import { type Sql, sql } from '../../src/messages/visibility/sql.ts';

/** What a transaction says that may read everything. */
const OPERATOR = sql`SELECT set_config('writ.mode', 'read', true), set_config('writ.projects', 'all', true), set_config('writ.places', 'all', true),
  set_config('writ.viewers', '0', true), set_config('writ.closed', '{}', true)`;

/** The same page as one statement, as an operator: statistics, scores, their count, best and worst, the order and the rows, all by PostgreSQL. */
export function barePage(postgresql: Postgresql, tokens: Tokens, word: string, limit: number): () => Promise<number[]> {
  const statement = pageStatement(readExpression(tokens, 'message', word).query, limit);
  return () =>
    postgresql.transaction('read', async (query) => {
      await query(OPERATOR);
      return (await query(statement)).map(([id]) => Number(id));
    });
}

function pageStatement(asked: string, limit: number): Sql {
  const places = sql`(round((ts_rank_cd('{0.05, 0.5, 0.1, 1}'::float4[], m.words, ${asked}::tsquery) * 20::float8)::numeric)::float8 / 2)`;
  return sql`WITH stats AS (SELECT count(*)::float8 AS n, coalesce(sum(word_count), 0)::float8 AS words FROM messages),
    having_it AS (SELECT count(*)::float8 AS h FROM messages m WHERE m.words @@ ${asked}::tsquery),
    weight AS MATERIALIZED (SELECT CASE WHEN n - h <= h THEN 1e-6 ELSE ln((n - h + 0.5) / (h + 0.5)) END AS idf, greatest(1, words) / greatest(1, n) AS average
      FROM stats, having_it),
    hit AS MATERIALIZED (SELECT m.id, 0 - idf * ${places} * 2.2 / (${places} + (0.3 + 0.9 * m.word_count / average)) AS raw
      FROM messages m, weight WHERE m.words @@ ${asked}::tsquery),
    span AS MATERIALIZED (SELECT count(*) AS n, min(raw) AS lo, max(raw) AS hi FROM hit),
    scale AS MATERIALIZED (SELECT *, coalesce(pow(2.0::float8, 30 - floor(ln(greatest(-lo, -hi)) / ln(2.0::float8))), 1) AS f FROM span),
    ranked AS MATERIALIZED (SELECT id, round(raw * f) AS k, n, lo, hi FROM hit, scale ORDER BY 2, 1 LIMIT ${limit + 1}::bigint)
    SELECT m.id, m.project_id, m.subject, m.body_md, m.created_ts, m.importance, m.ack_required, m.thread_id, coalesce(a.name, ''), k, n, lo, hi
    FROM ranked JOIN messages m ON m.id = ranked.id LEFT JOIN agents a ON a.id = m.sender_id ORDER BY k, m.id LIMIT ${limit}::bigint`;
}
