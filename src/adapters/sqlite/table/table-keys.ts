import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { TableBroken } from './table-broken.ts';
import { type ForeignTable, quoteName } from './table-columns.ts';

const Kinds = z.array(z.object({ kind: z.string() }));
const NUMBERS: ReadonlySet<string> = new Set(['integer', 'real']);

/** Refuses a table in which a key is missing, is no text and no number, has another kind than others, or repeats. */
export function checkKeys(db: Database, { name, columns }: ForeignTable, primaryKey: string): void {
  if (!columns.includes(primaryKey)) throw new TableBroken('there is no column with the name of the primary key');
  const [from, key] = [quoteName(name), quoteName(primaryKey)];
  checkKinds(Kinds.parse(db.prepare(`SELECT DISTINCT typeof(${key}) AS kind FROM ${from}`).all()).map(({ kind }) => kind));
  // COLLATE BINARY: the column's own order may take texts for equal that differ.
  const repeated = `SELECT 1 FROM ${from} GROUP BY ${key} COLLATE BINARY HAVING count(*) > 1 LIMIT 1`;
  if (db.prepare(repeated).get() !== undefined) throw new TableBroken('the primary key is not unique');
}

/** The storage class of each value decides, not the declared type. */
function checkKinds(kinds: readonly string[]): void {
  if (kinds.includes('null')) throw new TableBroken('a record has no primary key');
  if (kinds.includes('blob')) throw new TableBroken('the primary key is neither text nor a number in some records');
  if (kinds.includes('text') && kinds.some((kind) => NUMBERS.has(kind))) {
    throw new TableBroken('the primary key is text in some records and a number in others');
  }
}
