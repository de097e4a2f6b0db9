import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { compareCodePoints } from '../../core/code-points.ts';
import type { DatasetMatch } from '../../core/ports/dataset-source.ts';
import { type ForeignTable, quoteName } from './table-columns.ts';

/** A table that breaks a rule of data sets. */
export class TableBroken extends Error {
  override readonly name = 'TableBroken';
}

const Kinds = z.array(z.object({ kind: z.string() }));
const MatchRow = z.object({ key: z.union([z.string(), z.number(), z.bigint()]), field: z.bigint(), text: z.string() });

/** Checks all keys, then hands over each record with a match, in no order. Throws TableBroken, or SQLite's errors. */
export function readTable(db: Database, table: ForeignTable, primaryKey: string, query: string, take: (match: DatasetMatch) => void): void {
  if (!table.columns.includes(primaryKey)) throw new TableBroken('there is no column with the name of the primary key');
  const from = quoteName(table.name);
  const key = quoteName(primaryKey);
  checkKinds(Kinds.parse(db.prepare(`SELECT DISTINCT typeof(${key}) AS kind FROM ${from}`).all()).map(({ kind }) => kind));
  // COLLATE BINARY: the column's own order may take texts for equal that differ.
  const repeated = `SELECT 1 FROM ${from} GROUP BY ${key} COLLATE BINARY HAVING count(*) > 1 LIMIT 1`;
  if (db.prepare(repeated).get() !== undefined) throw new TableBroken('the primary key is not unique');
  const columns = [...table.columns].sort(compareCodePoints);
  for (const row of db.prepare(matchSql(from, key, columns)).iterate({ query })) {
    const match = MatchRow.parse(row);
    take({ key: match.key, field: columns[Number(match.field)] ?? '', text: match.text });
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'real']);

/** The storage class of each value decides, not the declared type. */
function checkKinds(kinds: readonly string[]): void {
  if (kinds.includes('null')) throw new TableBroken('a record has no primary key');
  if (kinds.includes('blob')) throw new TableBroken('the primary key is neither text nor a number in some records');
  if (kinds.includes('text') && kinds.some((kind) => NUMBERS.has(kind))) {
    throw new TableBroken('the primary key is text in some records and a number in others');
  }
}

function matchSql(from: string, key: string, columns: readonly string[]): string {
  const place = quoteName(unusedName(columns));
  const matches = columns.map((name, at) => `WHEN typeof(${quoteName(name)}) = 'text' AND instr(${quoteName(name)}, @query) > 0 THEN ${at}`);
  const texts = columns.map((name, at) => `WHEN ${at} THEN ${quoteName(name)}`);
  const placed = `SELECT *, CASE ${matches.join(' ')} END AS ${place} FROM ${from}`;
  return `SELECT ${key} AS key, ${place} AS field, CASE ${place} ${texts.join(' ')} END AS text FROM (${placed}) WHERE ${place} IS NOT NULL`;
}

/** A name that no column has; SQLite's names do not know case. */
function unusedName(columns: readonly string[]): string {
  let name = 'place';
  while (columns.some((column) => column.toLowerCase() === name)) name += '_';
  return name;
}
