import type { Database } from 'better-sqlite3';
import { z } from 'zod';

/** A table or view of somebody else's database. */
export interface ForeignTable {
  readonly name: string;
  /** Stored and generated columns, as the schema names them. */
  readonly columns: readonly string[];
}

const Names = z.array(z.object({ name: z.string() }));

/** `hidden`: 0 is a plain column, 2 and 3 are generated ones, 1 is a secret of a virtual table. */
const COLUMNS = 'SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1';
/** A virtual table is code of an extension, not records. */
const TABLE = "SELECT name FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view') AND rootpage IS NOT NULL AND (type = 'view' OR rootpage > 0)";

/** The table with exactly this name; undefined when there is none. Virtual tables do not count. */
export function describeTable(db: Database, name: string): ForeignTable | undefined {
  if (db.prepare(TABLE).get(name) === undefined) return undefined;
  return { name, columns: Names.parse(db.prepare(COLUMNS).all(name)).map((column) => column.name) };
}

/** A name as an SQL identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
