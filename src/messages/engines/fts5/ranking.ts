import type { DocKind } from '../../../contracts/index.ts';
import { withoutMarks } from '../../text/marks.ts';
import { type Sql, sql } from '../../visibility/sql.ts';
import type { Ranking } from '../result-set/statements.ts';

/**
 * The full text of each kind. In bm25, columns that are not indexed have a weight too: title 10, body 1, parts of their words half
 * of that, the others 0. A store whose full text is still that of before has no parts, and passes over their weights.
 */
const TEXTS = {
  message: { table: sql`fts_messages`, bm25: sql`bm25(fts_messages, 0.0, 10.0, 1.0, 5.0, 0.5)` },
  agent: { table: sql`fts_agents`, bm25: sql`bm25(fts_agents, 0.0, 0.0, 10.0, 1.0, 0.0, 0.0)` },
  project: { table: sql`fts_projects`, bm25: sql`bm25(fts_projects, 0.0, 10.0, 1.0)` },
} satisfies Record<DocKind, { readonly table: Sql; readonly bm25: Sql }>;

/** Rows that an FTS5 expression matches, by bm25: from the worst of the set to its best (message-search.md 3.2). */
export function fts5Ranking(kind: DocKind, expression: string): Ranking {
  const { table, bm25 } = TEXTS[kind];
  return {
    from: table,
    id: sql`f.rowid`,
    cost: bm25,
    sign: 1,
    match: [sql`f.${table} MATCH ${asked(expression)}`],
    current: true,
    scale: { best: null, worst: null },
  };
}

/** The words as they are indexed; with their marks, too, until a store of before has lost them all. */
function asked(expression: string): Sql {
  const bare = withoutMarks(expression);
  if (bare === expression) return sql`${expression}`;
  return sql`CASE WHEN EXISTS (SELECT 1 FROM meta WHERE key = 'marks_done') THEN ${`(${expression}) OR (${bare})`} ELSE ${bare} END`;
}
