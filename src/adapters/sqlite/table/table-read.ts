import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import type { DatasetMatch } from '../../../core/ports/dataset-source.ts';
import { type ForeignTable, quoteName } from './table-columns.ts';

const Key = z.union([z.string(), z.number(), z.bigint()]);
const Count = z.bigint();
const FirstRow = z.object({ row: z.bigint(), key: Key, field: z.bigint() });
const MatchRow = z.object({ key: Key, field: z.bigint(), text: z.string() });

type Take = (match: DatasetMatch) => void;

/**
 * Counts the records with a match and hands over at least the first `most` of them, in no order. Throws SQLite's errors.
 *
 * SQLite orders texts by their bytes: in UTF-8 that is by code point, in UTF-16 it is not.
 */
export function readMatches(db: Database, table: ForeignTable, primaryKey: string, query: string, most: number, take: Take): number {
  if (table.rowid === undefined || table.encoding !== 'UTF-8') return readAll(db, table, primaryKey, query, take);
  return readFirst(db, table, table.rowid, { primaryKey, query, most }, take);
}

interface Wanted {
  readonly primaryKey: string;
  readonly query: string;
  readonly most: number;
}

/** SQLite counts, orders and cuts; texts are fetched for the first only, since substr() ends at a NUL that a text may hold. */
function readFirst(db: Database, { name, columns }: ForeignTable, rowid: string, { primaryKey, query, most }: Wanted, take: Take): number {
  const [from, key, field] = [quoteName(name), quoteName(primaryKey), fieldSql(columns)];
  const count = Number(Count.parse(db.prepare(`SELECT count(${field}) FROM ${from}`).pluck().get({ query })));
  if (count === 0) return 0;
  // An index of the key would lead to every record out of its place; only the order of the records themselves is better than sorting.
  const first = `SELECT ${rowid} AS row, ${key} AS key, ${field} AS field FROM ${from} WHERE ${field} IS NOT NULL ORDER BY ${orderOf(db, from, key, rowid)} COLLATE BINARY LIMIT @most`;
  const texts = columns.map((column) => db.prepare(`SELECT ${quoteName(column)} FROM ${from} WHERE ${rowid} = ?`).pluck());
  for (const row of db.prepare(first).all({ query, most })) {
    const match = FirstRow.parse(row);
    const place = Number(match.field);
    take({ key: match.key, field: columns[place] ?? '', text: z.string().parse(texts[place]?.get(match.row)) });
  }
  return count;
}

/** The key itself where it is the record's number, which is the order of the table; else the key without its index. */
function orderOf(db: Database, from: string, key: string, rowid: string): string {
  const differs = `SELECT 1 FROM ${from} WHERE ${key} IS NOT ${rowid} LIMIT 1`;
  return db.prepare(differs).get() === undefined ? rowid : `+${key}`;
}

/** Every match, for a caller who orders and cuts. */
function readAll(db: Database, { name, columns }: ForeignTable, primaryKey: string, query: string, take: Take): number {
  const field = quoteName(unusedName(columns));
  const placed = `SELECT *, ${fieldSql(columns)} AS ${field} FROM ${quoteName(name)}`;
  const texts = columns.map((column, at) => `WHEN ${at} THEN ${quoteName(column)}`).join(' ');
  const matches = `SELECT ${quoteName(primaryKey)} AS key, ${field} AS field, CASE ${field} ${texts} END AS text FROM (${placed}) WHERE ${field} IS NOT NULL`;
  let count = 0;
  for (const row of db.prepare(matches).iterate({ query })) {
    const match = MatchRow.parse(row);
    count += 1;
    take({ key: match.key, field: columns[Number(match.field)] ?? '', text: match.text });
  }
  return count;
}

/** Place of the first column whose text holds the query; NULL when there is none. */
function fieldSql(columns: readonly string[]): string {
  const matches = columns.map(quoteName).map((column, at) => `WHEN typeof(${column}) = 'text' AND instr(${column}, @query) > 0 THEN ${at}`);
  return `CASE ${matches.join(' ')} END`;
}

/** A name that no column has; SQLite's names do not know case. */
function unusedName(columns: readonly string[]): string {
  let name = 'place';
  while (columns.some((column) => column.toLowerCase() === name)) name += '_';
  return name;
}
