import type { Database } from 'better-sqlite3';
import { z } from 'zod';
import { compareCodePoints } from '../../../core/code-points.ts';

/** A table or view of somebody else's database. */
export interface ForeignTable {
  readonly name: string;
  /** Stored and generated columns, as the schema names them, in code point order. */
  readonly columns: readonly string[];
  /** A name under which each record's number can be asked for; undefined for views and tables without one. */
  readonly rowid: string | undefined;
  /** How the file writes its texts. */
  readonly encoding: string;
}

const Names = z.array(z.object({ name: z.string() }));
const Kind = z.object({ type: z.string(), wr: z.bigint() });

/** `hidden`: 0 is a plain column, 2 and 3 are generated ones, 1 is a secret of a virtual table. */
const COLUMNS = 'SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1';
/** A virtual table is code of an extension, not records. */
const TABLE = "SELECT name FROM sqlite_schema WHERE name = ? AND type IN ('table', 'view') AND rootpage IS NOT NULL AND (type = 'view' OR rootpage > 0)";
const KIND = "SELECT type, wr FROM pragma_table_list(?) WHERE schema = 'main'";

/** The table with exactly this name; undefined when there is none. Virtual tables do not count. */
export function describeTable(db: Database, name: string): ForeignTable | undefined {
  if (db.prepare(TABLE).get(name) === undefined) return undefined;
  const columns = Names.parse(db.prepare(COLUMNS).all(name)).map((column) => column.name);
  const { type, wr } = Kind.parse(db.prepare(KIND).get(name));
  return {
    name,
    columns: columns.sort(compareCodePoints),
    rowid: type === 'table' && wr === 0n ? rowidOf(columns) : undefined,
    encoding: z.string().parse(db.pragma('encoding', { simple: true })),
  };
}

/** SQLite's names for a record's number, unless a column has taken them; names do not know case. */
function rowidOf(columns: readonly string[]): string | undefined {
  return ['rowid', '_rowid_', 'oid'].find((name) => !columns.some((column) => column.toLowerCase() === name));
}

/** A name as an SQL identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
