import type { DatasetScope } from '../../core/ports/index.ts';
import { BrokenDataSet, columnsByName, type KeyReading, keyColumn, type Layout, textColumns } from './layout.ts';
import { quoteText } from './quote.ts';
import type { Session } from './session.ts';

/** Parquet: types as the file declares them. Text fields are the top-level columns of type STRING or ENUM. */
export async function parquetLayout(scope: DatasetScope, { path }: { path: string }, session: Session): Promise<Layout> {
  const file = `read_parquet(${quoteText(path)}, binary_as_string = false, hive_partitioning = false)`;
  const types = (await session.rows(`SELECT column_type FROM (DESCRIBE SELECT * FROM ${file})`)).map(([type]) => String(type));
  const names = await topLevelNames(path, session);
  if (names.length !== types.length) throw new BrokenDataSet('the columns of the Parquet file contradict each other');
  const places = columnsByName(names);
  const typeOf = (name: string) => types[names.indexOf(name)] ?? '';
  const columns = names.map((_, place) => `c${place}`).join(', ');
  return {
    from: `${file} AS t(${columns})`,
    texts: textColumns(places, (name) => typeOf(name) === 'VARCHAR'),
    keys: [keyReading(keyColumn(places, scope.primaryKey), typeOf(scope.primaryKey))],
    mustHold: [],
    check: () => Promise.resolve(),
    findFault: () => Promise.resolve(),
  };
}

/** Names as the file writes them: where two differ only in case, DuckDB's query would rename one. */
async function topLevelNames(path: string, session: Session): Promise<string[]> {
  const [root, ...nodes] = await session.rows(`SELECT name, num_children FROM parquet_schema(${quoteText(path)})`);
  if (root === undefined) return [];
  const names: string[] = [];
  // The schema is a tree, written parent first: `below` counts nodes that belong to the last top-level column.
  let below = 0;
  for (const [name, children] of nodes) {
    if (below === 0) names.push(String(name));
    else below -= 1;
    below += Number(children ?? 0);
  }
  return names;
}

const INTEGERS: ReadonlySet<string> = new Set([
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'HUGEINT',
  'UTINYINT',
  'USMALLINT',
  'UINTEGER',
  'UBIGINT',
  'UHUGEINT',
]);

function keyReading(column: string, type: string): KeyReading {
  const isThere = `(${column} IS NOT NULL)`;
  if (type === 'VARCHAR') return { value: column, isGood: isThere, identity: `hash(${column})`, exact: column, kind: 'text' };
  if (INTEGERS.has(type)) return { value: column, isGood: isThere, identity: column, kind: 'integer' };
  if (type.startsWith('DECIMAL(')) return { value: column, isGood: isThere, identity: column, kind: 'decimal' };
  if (type !== 'DOUBLE' && type !== 'FLOAT') throw new BrokenDataSet('the primary key is neither text nor a number');
  const double = `${column}::DOUBLE`;
  return { value: double, isGood: `coalesce(NOT isnan(${column}), false)`, identity: double, kind: 'double' };
}
