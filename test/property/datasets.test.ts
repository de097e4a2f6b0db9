import fs from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sqlite } from '../../src/adapters/sqlite/driver.ts';
import { askOracle, comparable, createDatasetBench, type DatasetCase } from '../support/datasets.ts';
import { cases as oracleCases } from '../support/oracle-runs.ts';
import { askSqlite3 } from '../support/sqlite-oracle.ts';

/** Pieces that meet the rules' edges: astral against U+FF5E, composed against decomposed, quotes, line breaks, NUL, wildcards. */
const PIECES = [
  'fa',
  'de',
  'fade',
  'A',
  'a',
  '\u{1F600}',
  '\uFF5E',
  'é',
  'e\u0301',
  '\n',
  '\r\n',
  '"',
  ',',
  "'",
  '\0',
  '\\',
  '%',
  '_',
  '*',
  ' ',
  'x'.repeat(99),
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(''));
const name = fc.constantFrom('a', 'A', 'b', 'Z', 'place', 'match field', 'q"uote', '\uFF5E', '\u{1F600}', 'sp ace', 'com,ma');
const query = fc.constantFrom('fa', 'fade', 'a', '\u{1F600}', '\uFF5E', 'é', '\n', '"', ',', '\0', '%', '\\', 'xf', 'absent');
const integer = fc.oneof(fc.integer(), fc.bigInt(-(2n ** 100n), 2n ** 100n), fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 63n)).map(String);
const textKey = text.filter((key) => key !== '' && key.trim() === key);
const seldom = (sane: boolean) => fc.integer({ min: 0, max: 7 }).map((n) => n > 0 === sane);

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string; readonly texts: readonly string[] }[];
  readonly numeric: boolean;
  readonly query: string;
  readonly maxResults: number;
  /** What is put where into one CSV file of two, so that most of these are malformed. */
  readonly slip: { readonly what: string; readonly where: number };
}

const table: fc.Arbitrary<Table> = fc
  .record({
    columns: fc.uniqueArray(name, { minLength: 1, maxLength: 4, selector: (one) => one.toLowerCase() }),
    numeric: fc.boolean(),
    unique: seldom(true),
    query,
    maxResults: fc.integer({ min: 1, max: 6 }),
    slip: fc.record({
      what: fc.constantFrom('"', '""', ',', ',""', ' ', '\n', '\r', '\r\n', '\n\n', '","', '\t'),
      where: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  })
  .chain(({ unique, ...rest }) => {
    const row = fc.record({
      key: rest.numeric ? integer : textKey,
      texts: fc.array(text, { minLength: rest.columns.length, maxLength: rest.columns.length }),
    });
    const rows = unique ? fc.uniqueArray(row, { maxLength: 12, selector: ({ key }) => key }) : fc.array(row, { maxLength: 12 });
    return rows.map((some) => ({ ...rest, rows: some }));
  });

const KEY = 'key';

type Ask = (cases: readonly DatasetCase[]) => unknown;

/** Writes each table to a file, searches it, and asks others about the same file. */
async function compare(
  format: DatasetCase['format'],
  runs: number,
  write: (file: string, one: Table, at: number) => Promise<void>,
  ...others: readonly Ask[]
): Promise<void> {
  const bench = await createDatasetBench();
  try {
    const cases: DatasetCase[] = [];
    for (const [at, one] of fc.sample(table, { numRuns: oracleCases(runs), seed: 20_261_121 }).entries()) {
      const file = path.join(bench.directory, `a*[${at}]?.${format}`);
      await write(file, one, at);
      const numeric = format === 'csv' && one.numeric ? [KEY] : [];
      cases.push({ format, path: file, table: format === 'sqlite' ? 't "1"' : '', primaryKey: KEY, numeric, query: one.query, maxResults: one.maxResults });
    }
    const answers: unknown[] = [];
    for (const one of cases) answers.push(comparable(await bench.search(one)));
    for (const ask of [askOracle, ...others]) expect(answers).toEqual(await ask(cases));
  } finally {
    await bench.close();
  }
}

function writeCsv(file: string, { columns, rows, slip }: Table, at: number): Promise<void> {
  const end = at % 4 < 2 ? '\n' : '\r\n';
  const field = (value: string) => (/[",\r\n\0 ]/.test(value) || (value.length + at) % 3 === 0 ? `"${value.replaceAll('"', '""')}"` : value);
  const lines = [[KEY, ...columns], ...rows.map(({ key, texts }) => [key, ...texts])].map((fields) => fields.map(field).join(','));
  const text = `${lines.join(end)}${at % 3 === 0 ? '' : end}`;
  const place = Math.round(slip.where * text.length);
  const content = at % 2 === 0 ? text : `${text.slice(0, place)}${slip.what}${text.slice(place)}`;
  return fs.writeFile(file, `${at % 5 === 0 ? '\uFEFF' : ''}${content}`);
}

/** Every record has its own members; a few hold numbers, nested values or nothing where others hold text. */
function writeJsonLines(file: string, { columns, rows, numeric }: Table, at: number): Promise<void> {
  const other = ['1e400', '12345678901234567890', '{"a":"fade","b":["fade",{"\\"":"]}"}]}', 'null', 'true', '["fade"]'];
  const lines = rows.map(({ key, texts }, row) => {
    const members = columns.map((column, place) => {
      const value = (row + place + at) % 4 === 0 ? other[(row + at) % other.length] : JSON.stringify(texts[place]);
      return `${JSON.stringify(column)} : ${value}`;
    });
    members.splice(row % (members.length + 1), 0, `"\\u006bey":${numeric ? key : JSON.stringify(key)}`);
    if (at % 17 === 0 && row === 3) members.push('"key" :"again"');
    return `{ ${members.join(', ')}}`;
  });
  return fs.writeFile(file, lines.join(at % 3 === 0 ? '\r\n \n' : '\n'));
}

/** No declared types: every value keeps its own storage class. */
async function writeSqlite(file: string, { columns, rows, numeric }: Table, at: number): Promise<void> {
  const db = new Sqlite(file);
  const quote = (column: string) => `"${column.replaceAll('"', '""')}"`;
  if (at % 3 === 0) db.pragma('journal_mode = WAL');
  db.exec(`CREATE TABLE "t ""1""" (${[...columns, KEY].map((column) => `${quote(column)} ${at % 2 === 0 ? 'COLLATE NOCASE' : ''}`).join(', ')})`);
  const insert = db.prepare(`INSERT INTO "t ""1""" VALUES (${[...columns, KEY].map(() => '?').join(', ')})`);
  for (const [row, { key, texts }] of rows.entries()) {
    const values = texts.map((value, place) => ((row + place + at) % 5 === 0 ? [7, null, Buffer.from('fade'), 1.5][row % 4] : value));
    insert.run(...values, numeric ? clamp(BigInt(key)) : key);
  }
  db.close();
}

/** SQLite's integers have 64 bits; larger keys are doubles there. */
function clamp(key: bigint): bigint | number {
  return BigInt.asIntN(64, key) === key ? key : Number(key);
}

describe('searches of data sets and Python agree', () => {
  it('on CSV', { tags: ['SE-16', 'SE-29', 'SE-31', 'SE-48', 'SE-49'] }, () => compare('csv', 60, writeCsv));
  it('on JSON Lines', { tags: ['SE-16', 'SE-29', 'SE-31', 'SE-48', 'SE-49'] }, () => compare('jsonl', 400, writeJsonLines));
  it('on SQLite tables, and so does the sqlite3 command', { tags: ['SE-16', 'SE-29', 'SE-31', 'SE-48', 'SE-49'] }, () =>
    compare('sqlite', 60, writeSqlite, askSqlite3),
  );
});
