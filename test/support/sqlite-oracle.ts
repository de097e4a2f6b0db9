import { spawnSync } from 'node:child_process';
import type { DatasetCase } from './datasets.ts';

/** The same cases, answered by the `sqlite3` command of the host, which is another build of SQLite than ours. A refusal is `error`. */
export function askSqlite3(cases: readonly DatasetCase[]): unknown[] {
  return cases.map(answer);
}

function answer({ path, table, primaryKey, query, maxResults }: DatasetCase): unknown {
  const from = quoted(table);
  const key = quoted(primaryKey);
  const run = (sql: string): string[][] => runSqlite3(path, sql);
  const kinds = run(`SELECT DISTINCT typeof(${key}) FROM ${from}`).map(([kind]) => kind ?? '');
  const isMixed = kinds.includes('text') && kinds.length > 1;
  const twins = run(`SELECT count(*) FROM ${from} a JOIN ${from} b ON a.${key} = b.${key} COLLATE BINARY AND a.rowid < b.rowid`);
  if (isMixed || kinds.includes('null') || kinds.includes('blob') || twins[0]?.[0] !== '0') return { error: true };

  const names = run(`SELECT hex(name) FROM pragma_table_info('${table.replaceAll("'", "''")}')`).map(([name]) => fromHex(name));
  const inOrder = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  // Bytes in bytes: a text is found where its UTF-8 is.
  const needle = `x'${Buffer.from(query).toString('hex')}'`;
  const holds = inOrder.map((name) => `typeof(${quoted(name)}) = 'text' AND instr(CAST(${quoted(name)} AS BLOB), ${needle}) > 0`);
  const field = `CASE ${holds.map((condition, at) => `WHEN ${condition} THEN ${at}`).join(' ')} END`;
  const text = `CASE ${holds.map((condition, at) => `WHEN ${condition} THEN hex(${quoted(inOrder[at] ?? '')})`).join(' ')} END`;
  const id = `CASE typeof(${key}) WHEN 'text' THEN hex(${key}) WHEN 'real' THEN printf('%!.17g', ${key}) ELSE ${key} END`;
  const found = run(
    `SELECT typeof(${key}), ${id}, ${field}, ${text} FROM ${from} WHERE ${holds.map((one) => `(${one})`).join(' OR ')} ORDER BY ${key} COLLATE BINARY`,
  );
  const hits = found.slice(0, maxResults).map(([kind, written = '', place, hex]) => ({
    id: kind === 'text' ? fromHex(written) : kind === 'real' ? shortest(Number(written)) : written,
    match_field: inOrder[Number(place)],
    match_snippet: excerptOf(fromHex(hex), query),
  }));
  return { count: found.length, hits };
}

function runSqlite3(path: string, sql: string): string[][] {
  const { status, stdout, stderr, error } = spawnSync('sqlite3', ['-batch', '-bail', '-readonly', '-separator', '|', path, sql], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (error !== undefined) throw new Error('the sqlite3 command is missing; run: sudo apt-get install -y sqlite3', { cause: error });
  if (status !== 0) throw new Error(`sqlite3 failed: ${stderr}`);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('|'));
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function fromHex(hex = ''): string {
  return Buffer.from(hex, 'hex').toString('utf8');
}

/** Whole numbers as plain digits, fractions in their shortest form. */
function shortest(value: number): string {
  return Number.isInteger(value) ? String(BigInt(value)) : String(value);
}

function excerptOf(text: string, query: string): string {
  const before = [...text.slice(0, text.indexOf(query))];
  const all = [...text];
  const start = Math.max(0, before.length - 100);
  return all
    .slice(start, before.length + [...query].length + 100)
    .slice(0, 200)
    .join('');
}
