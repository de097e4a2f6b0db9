import { COLUMNS, KEY, TEXTS } from './rows.ts';

export type Format = 'csv' | 'parquet' | 'jsonl';

/** A file of the data set as DuckDB is told of it: nothing is left to guess, types are checked while reading. */
export function sourceSql(format: Format, file: string): string {
  const name = `'${file.replaceAll("'", "''")}'`;
  if (format === 'parquet') return `read_parquet(${name})`;
  const columns = `columns = {${Object.entries(COLUMNS)
    .map(([column, type]) => `'${column}': '${type}'`)
    .join(', ')}}`;
  if (format === 'jsonl') return `read_json(${name}, format = 'newline_delimited', ${columns})`;
  return `read_csv(${name}, header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', ${columns})`;
}

/** All matches counted, and the first ones by key with the field and its text; one pass over the file. */
export function searchSql(source: string, maxResults: number): string {
  const cases = (then: (column: string) => string): string =>
    `CASE ${TEXTS.map((column) => `WHEN contains(${column}, $query) THEN ${then(column)}`).join(' ')} END`;
  const matches = TEXTS.map((column) => `contains(${column}, $query)`).join(' OR ');
  return `
    WITH found AS MATERIALIZED (SELECT ${KEY} AS key, ${cases((column) => `'${column}'`)} AS field, ${cases((column) => column)} AS text FROM ${source} WHERE ${matches})
    SELECT (SELECT count(*) FROM found), key, field, text FROM found ORDER BY key LIMIT ${maxResults}`;
}

/** Whether every record has a key, and no two the same one. */
export function keysSql(source: string): string {
  return `SELECT count(*) = count(${KEY}), count(*) = count(DISTINCT ${KEY}) FROM ${source}`;
}

/** Writes the records of a CSV file in another format. */
export function copySql(csv: string, format: 'parquet' | 'json', file: string): string {
  return `COPY (SELECT * FROM ${sourceSql('csv', csv)}) TO '${file.replaceAll("'", "''")}' (FORMAT ${format})`;
}
