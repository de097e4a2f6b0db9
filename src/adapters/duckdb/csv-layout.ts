import type { DatasetScope } from '../../core/ports/index.ts';
import { checkCsv } from './csv-check.ts';
import { readCsvHeader } from './csv-header.ts';
import { numericKeys } from './csv-numbers.ts';
import { BrokenDataSet, columnsByName, type KeyReading, keyColumn, type Layout, textColumns } from './layout.ts';
import { quoteText } from './quote.ts';

/** Longest record in bytes. */
const LONGEST = 4 * 1024 * 1024;
/** DuckDB would take 16 times the longest record: more than its memory. */
const BUFFER = 8 * 1024 * 1024;

/** CSV as RFC 4180 has it, with a header row, in UTF-8. Nothing is guessed: every column is read as text. */
export async function csvLayout(scope: DatasetScope, { fd, path }: { fd: number; path: string }): Promise<Layout> {
  const { names, start, lineEnd } = await readCsvHeader(fd);
  const places = columnsByName(names);
  const key = keyColumn(places, scope.primaryKey);
  const numeric = new Set(scope.numeric);
  for (const name of numeric) if (!places.has(name)) throw new BrokenDataSet('a column that is declared numeric does not exist');
  const columns = names.map((_, place) => `c${place}: 'VARCHAR'`).join(', ');
  const shape = { columns: names.length, lineEnd, start, longest: LONGEST };
  return {
    from: `read_csv(${quoteText(path)}, columns = {${columns}}, ${OPTIONS})`,
    texts: textColumns(places, (name) => !numeric.has(name)),
    keys: numeric.has(scope.primaryKey) ? numericKeys(key) : [textKey(key)],
    mustHold: [...places].filter(([name]) => numeric.has(name) && name !== scope.primaryKey).map(([, column]) => isNumberOrEmpty(column)),
    check: () => checkCsv(fd, { ...shape, isThorough: false }),
    findFault: () => checkCsv(fd, { ...shape, isThorough: true }),
  };
}

const OPTIONS = [
  'auto_detect = false',
  'header = true',
  "delim = ','",
  `quote = '"'`,
  `escape = '"'`,
  "comment = ''",
  "encoding = 'utf-8'",
  "compression = 'none'",
  'strict_mode = true',
  'null_padding = false',
  'ignore_errors = false',
  `max_line_size = ${LONGEST}`,
  `buffer_size = ${BUFFER}`,
].join(', ');

/** DuckDB reads an empty field as NULL, quoted or not. */
function textKey(column: string): KeyReading {
  return { value: column, isGood: `(${column} IS NOT NULL)`, identity: `hash(${column})`, exact: column, kind: 'text' };
}

function isNumberOrEmpty(column: string): string {
  return `(${column} IS NULL OR coalesce(isfinite(TRY_CAST(${column} AS DOUBLE)), false))`;
}
