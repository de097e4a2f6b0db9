import { isUtf8 } from 'node:buffer';
import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { TableBroken } from './table-broken.ts';
import { type ForeignTable, quoteName } from './table-columns.ts';

/**
 * Refuses a table with a text that is not Unicode. SQLite stores whatever bytes it is given as TEXT, and would hand them over
 * with U+FFFD in place of what is wrong: a search would find what is not there. SQLite itself has no test for it.
 */
export function checkTexts(db: Database, table: ForeignTable): void {
  if (table.encoding === 'UTF-8' && table.rowid !== undefined) checkMany(db, table, table.rowid);
  else checkEach(db, table, table.encoding === 'UTF-8' ? isUtf8 : utf16Test(table.encoding));
}

/** Records at once: what they hold is in memory, so few; but a question for each would take five times as long. */
const MAX_RECORDS = 128;
const MUCH_BYTES = 1024 * 1024;
const LAST = 2n ** 63n - 1n;

const Edge = z.bigint().optional();
const Texts = z.array(z.instanceof(Buffer).nullable());

/** Many texts as one: with a line feed between them they are UTF-8 together exactly if each is. */
function checkMany(db: Database, { name, columns }: ForeignTable, rowid: string): void {
  const from = quoteName(name);
  const edgeFrom = db.prepare(`SELECT ${rowid} FROM ${from} WHERE ${rowid} >= ? ORDER BY ${rowid} LIMIT 1 OFFSET ?`).pluck();
  const texts = columns.map(quoteName).map((column) => `CAST(group_concat(${column}, '\n') FILTER (WHERE typeof(${column}) = 'text') AS BLOB)`);
  const read = db.prepare(`SELECT ${texts.join(', ')} FROM ${from} WHERE ${rowid} BETWEEN ? AND ?`).raw();
  let records = 1;
  for (let start = -(2n ** 63n); start <= LAST; ) {
    const edge = Edge.parse(edgeFrom.get(start, records - 1)) ?? LAST;
    const all = Texts.parse(read.get(start, edge));
    let bytes = 0;
    for (const text of all) {
      if (text === null) continue;
      if (!isUtf8(text)) throw notUnicode();
      bytes += text.length;
    }
    records = bytes > MUCH_BYTES ? Math.ceil(records / 2) : Math.min(records * 2, MAX_RECORDS);
    start = edge + 1n;
  }
}

/** For views, tables without numbers, and UTF-16, which SQLite would join as UTF-8. */
function checkEach(db: Database, { name, columns }: ForeignTable, isGood: (text: Buffer) => boolean): void {
  const texts = columns.map(quoteName).map((column) => `CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS BLOB) END`);
  for (const row of db
    .prepare(`SELECT ${texts.join(', ')} FROM ${quoteName(name)}`)
    .raw()
    .iterate()) {
    for (const text of Texts.parse(row)) if (text !== null && !isGood(text)) throw notUnicode();
  }
}

function utf16Test(encoding: string): (text: Buffer) => boolean {
  const decoder = new TextDecoder(encoding.toLowerCase(), { fatal: true });
  return (text) => {
    try {
      decoder.decode(text);
      return true;
    } catch {
      return false;
    }
  };
}

function notUnicode(): TableBroken {
  return new TableBroken('a text of the table is not Unicode');
}
