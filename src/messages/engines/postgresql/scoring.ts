import { KINDS } from '../../visibility/kinds.ts';
import { joined, type Sql, sql } from '../../visibility/sql.ts';
import type { WordQuery } from './expression.ts';
import type { SetSql } from './statements.ts';

/** How many rows there are, and words in them. */
export interface Counts {
  readonly rows: number;
  readonly words: number;
}

/** BM25 with FTS5's constants, in pieces of one statement: of what is hidden from a reader nothing counts. */
export interface Scoring {
  /** Table `stats`: one row. */
  readonly stats: Sql;
  /** Columns `part_1` and so on of the rows found: how much each leaf says of a row, but for how rare it is. */
  readonly parts: Sql;
  /** Table `weight`: one row, how rare each leaf is. */
  readonly weight: Sql;
  /** Of a row found beside `weight`; less is better. */
  readonly cost: Sql;
}

/** @param counts of all there is, where nothing is hidden from the reader */
export function scoringOf(set: SetSql, { query, leaves }: WordQuery, counts: Counts | undefined): Scoring {
  const { table } = KINDS[set.kind];
  // Of one word alone, the rows found are those that have it.
  const isAlone = leaves.length === 1 && leaves[0] === query && set.conditions.length === 1;
  const having = leaves.map((leaf) => (isAlone ? sql`SELECT count(*) FROM hit` : sql`SELECT count(*) FROM ${table} m WHERE m.words @@ ${leaf}::tsquery`));
  // As a number where it is known, so that processes beside this one may score.
  const average = counts === undefined ? sql`(SELECT greatest(1, words) / greatest(1, rows) FROM stats)` : sql`${averageOf(counts)}::float8`;
  const column = (name: string, index: number): Sql => ({ text: `${name}_${index + 1}`, params: [] });
  return {
    stats:
      counts === undefined
        ? sql`SELECT count(*)::float8 AS rows, coalesce(sum(word_count), 0)::float8 AS words FROM ${table}`
        : sql`SELECT ${counts.rows}::float8 AS rows, ${counts.words}::float8 AS words`,
    parts: joined(
      leaves.map((leaf, index) => sql`, ${partOf(leaf, average)} AS ${column('part', index)}`),
      ' ',
    ),
    // The offset keeps each count from being made wherever it stands.
    weight: sql`SELECT rows${joined(
      leaves.map((_, index) => sql`, ${idfOf(column('having', index))} AS ${column('idf', index)}`),
      ' ',
    )} FROM stats, (SELECT 0${joined(
      having.map((count, index) => sql`, (${count})::float8 AS ${column('having', index)}`),
      ' ',
    )} OFFSET 0) counted`,
    cost: sql`0::float8 ${joined(
      leaves.map((_, index) => sql`- ${column('idf', index)} * ${column('part', index)}`),
      ' ',
    )}`,
  };
}

function averageOf({ rows, words }: Counts): number {
  return Math.max(1, words) / Math.max(1, rows);
}

/** Title 10, body 1, parts of their words half of that, of words in columns C and D. */
const WEIGHTS = sql`'{0.05, 0.5, 0.1, 1}'::float4[]`;
const PER_PLACE = 20;

/** For one word or phrase the cover density is the sum of the weights of its places. */
function partOf(leaf: string, averageWords: Sql): Sql {
  const places = sql`(round((ts_rank_cd(${WEIGHTS}, m.words, ${leaf}::tsquery) * ${PER_PLACE}::float8)::numeric)::float8 / 2)`;
  return sql`${places} * 2.2 / (${places} + (0.3 + 0.9 * m.word_count / ${averageWords}))`;
}

/** What most rows have says next to nothing. */
function idfOf(having: Sql): Sql {
  return sql`CASE WHEN rows - ${having} <= ${having} THEN 1e-6 ELSE ln((rows - ${having} + 0.5) / (${having} + 0.5)) END`;
}
