import { execFileSync } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDuckDbColumns } from '../../../src/adapters/duckdb/columns.ts';
import { loadDuckDb, withSession } from '../../../src/adapters/duckdb/session.ts';
import { Sqlite } from '../../../src/adapters/sqlite/driver.ts';
import { createDatasetBench, type DatasetCase } from '../../support/datasets.ts';

let bench: Awaited<ReturnType<typeof createDatasetBench>>;
beforeAll(async () => {
  bench = await createDatasetBench();
});
afterAll(() => bench.close());

const FORMATS = ['csv', 'jsonl', 'parquet', 'sqlite'] as const;

async function search(format: DatasetCase['format'], content: string | Buffer, more: Partial<DatasetCase> = {}) {
  const file = path.join(bench.directory, `file.${format}`);
  await fs.writeFile(file, content);
  return bench.search({ format, path: file, table: format === 'sqlite' ? 't' : '', primaryKey: 'k', numeric: [], query: 'x', maxResults: 10, ...more });
}

const at = (format: DatasetCase['format'], place: string): DatasetCase => ({
  format,
  path: place,
  table: format === 'sqlite' ? 't' : '',
  primaryKey: 'k',
  numeric: [],
  query: 'x',
  maxResults: 10,
});

describe.each(FORMATS)('a %s data set', (format) => {
  it('that is missing, a directory, a FIFO or a symbolic link is unavailable', { tags: ['SE-67'] }, async () => {
    const fifo = path.join(bench.directory, `fifo-${format}`);
    const link = path.join(bench.directory, `link-${format}`);
    execFileSync('mkfifo', [fifo]);
    await fs.writeFile(path.join(bench.directory, 'target'), 'k,a\n1,x\n');
    await fs.symlink(path.join(bench.directory, 'target'), link);
    for (const place of [path.join(bench.directory, 'none'), bench.directory, fifo, link]) {
      expect(await bench.search(at(format, place))).toMatchObject({ error: 'SCOPE_UNAVAILABLE' });
    }
  });

  it('with the bytes of something else fails, and the message names no place of this host', { tags: ['SE-68'] }, async () => {
    const answer = await search(format, Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x80, 0x2c, 0xc3]));
    expect(answer).toMatchObject({ error: 'EXECUTION_FAILED' });
    expect(JSON.stringify(answer)).not.toContain(bench.directory);
  });
});

describe('a CSV file', () => {
  it.each([
    ['without a header row', ''],
    ['without the key column', 'a,b\n1,x\n'],
    ['with two columns of one name', 'k,a,a\n1,x,x\n'],
    ['with a row that is too short', 'k,a\n1,x\n2\n'],
    ['with a row that is too long', 'k,a\n1,x\n2,x,x\n'],
    ['with an empty key', 'k,a\n1,x\n,y\n'],
    ['with a repeated key', 'k,a\n1,x\n2,y\n1,z\n'],
    ['with an open quote', 'k,a\n1,"x\n'],
    ['with text after a quote', 'k,a\n1,"x"y\n'],
    ['with bytes that are not UTF-8', Buffer.from('6b2c610a312cff0a', 'hex')],
  ])('%s fails', { tags: ['SE-47', 'SE-68'] }, async (_, content) => {
    expect(await search('csv', content)).toMatchObject({ error: 'EXECUTION_FAILED' });
  });

  it.each([
    ['a comma too many', 'k,a\n1,x,\n', 'line 2 has more or fewer fields than the header row'],
    ['a comma too many behind a quoted field', 'k,a\n1,"x",\n', 'line 2 has more or fewer fields than the header row'],
    ['an empty field too many, without an end of the line', 'k,a\n1,x,""', 'line 2 has more or fewer fields than the header row'],
    ['a field too many', 'k,a\n1,"x\ny"\n2,x,x\n', 'line 4 has more or fewer fields than the header row'],
    ['a field too few', 'k,a\n1,x\n2,y\n3\n', 'line 4 has more or fewer fields than the header row'],
    ['a field that is Latin-1', Buffer.from('k,a\n1,"x\ny"\n2,b\xe4r\n', 'latin1'), 'line 4 is not UTF-8'],
    ['a quoted field that is Latin-1', Buffer.from('k,a\n1,x\n2,"x\nb\xe4r"\n', 'latin1'), 'line 3 is not UTF-8'],
    ['an empty line', 'k,a\n1,x\n\n2,y\n', 'line 3 is empty'],
    ['an empty line at its end', 'k,a\r\n1,x\r\n\r\n', 'line 3 is empty'],
    ['a blank before a quoted field', 'k,a\n1, "x"\n', 'line 2 has a quote in a field that does not begin with one'],
    ['a blank behind a quoted field', 'k,a\n1,"x" \n', 'line 2 has text behind the closing quote of a field'],
    ['a quote inside a plain field', 'k,a\n1,x"y\n', 'line 2 has a quote in a field that does not begin with one'],
    ['a quote that is never closed', 'k,a\n1,"x\ny"\n2,"x\n\n', 'line 4 has a quote that is never closed'],
    ['CR as the end of lines', 'k,a\r1,x\r', 'line 1 has a CR that stands outside of quotes and does not end it'],
    ['CR inside a plain field', 'k,a\n1\r,"x"\n', 'line 2 has a CR that stands outside of quotes and does not end it'],
    ['lines that end with LF among others', 'k,a\r\n1,x\n2,x\r\n', 'line 2 ends with LF, and the header row with CRLF'],
    ['lines that end with CRLF among others', 'k,a\n1,x\r\n2,x\n', 'line 2 ends with CRLF, and the header row with LF'],
    ['an empty line behind the first megabytes', `k,a\n${'1234,text\n'.repeat(300_000)}\n`, 'line 300002 is empty'],
  ])('with %s is malformed', { tags: ['SE-68'] }, async (_, content, message) => {
    expect(await search('csv', content)).toEqual({ error: 'EXECUTION_FAILED', message });
  });

  it('may begin with the mark of UTF-8, end its lines in either way, and hold everything in quotes', { tags: ['SE-48'] }, async () => {
    for (const [before, end, after] of [
      ['', '\n', '\n'],
      ['\ufeff', '\r\n', ''],
    ]) {
      const answer = await search('csv', `${before}"k",a${end}"1"," x"",\r\n\r"${end}2,${after}`);
      expect(answer).toEqual({ count: 1, hits: [{ id: '1', match_field: 'a', match_snippet: ' x",\r\n\r' }] });
    }
  });

  it('with a record above 4 MiB is more than a search may hold', { tags: ['SE-69'] }, async () => {
    expect(await search('csv', `k,a\n1,"${'y'.repeat(5 * 1024 * 1024)}"\n`)).toEqual({
      error: 'RESOURCE_EXHAUSTED',
      message: 'the record at line 2 is longer than 4 MiB',
    });
  });

  it('without records, or with no match, has an empty answer', { tags: ['SE-58'] }, async () => {
    expect(await search('csv', 'k,a\n')).toEqual({ count: 0, hits: [] });
    expect(await search('csv', 'k,a\n1,y\n')).toEqual({ count: 0, hits: [] });
  });

  it('without a column of text has an empty answer, and its records are checked all the same', { tags: ['SE-47', 'SE-58'] }, async () => {
    const all = { numeric: ['k', 'n'] };
    expect(await search('csv', 'k,n\n1,2\n2,3\n', all)).toEqual({ count: 0, hits: [] });
    expect(await search('csv', 'k\n0.5\n9007199254740993\n', { numeric: ['k'] })).toEqual({ count: 0, hits: [] });
    expect(await search('csv', 'k,n\n1,2\n1,3\n', all)).toEqual({ error: 'EXECUTION_FAILED', message: 'the primary key is not unique' });
    expect(await search('csv', 'k,n\n1,2\n,3\n', all)).toEqual({ error: 'EXECUTION_FAILED', message: 'a record has no usable primary key' });
    expect(await search('csv', 'k,n\n1,y\n', all)).toMatchObject({ error: 'EXECUTION_FAILED' });
    expect(await search('csv', 'k,n\n1,2\n2\n', all)).toMatchObject({ error: 'EXECUTION_FAILED' });
  });

  it('orders declared numbers by value and all else as text, and searches no numbers', { tags: ['SE-48', 'SE-49'] }, async () => {
    const rows = 'k,n,a\n10,1,x\n9,2,x\n-1,,x\n';
    const ids = (answer: Awaited<ReturnType<typeof search>>) => ('error' in answer ? answer : answer.hits.map(({ id }) => id));
    expect(ids(await search('csv', rows))).toEqual(['-1', '10', '9']);
    expect(ids(await search('csv', rows, { numeric: ['k', 'n'] }))).toEqual(['-1', '9', '10']);
    expect(await search('csv', rows, { numeric: ['k', 'n'], query: '1' })).toEqual({ count: 0, hits: [] });
    expect(ids(await search('csv', 'k,a\n1.50,x\n1e1,x\n007,x\n-0,x\n', { numeric: ['k'] }))).toEqual(['0', '1.5', '7', '10']);
  });

  it.each([
    ['9007199254740993', '0.5'],
    ['20240101000000000001', '0007'],
    ['9007199254740993', '9007199254740992', '1e3'],
    [' 9_007_199_254_740_993', '+9007199254740992', '.5'],
    [`1${'0'.repeat(398)}1`, `-1${'0'.repeat(398)}1`, '2.5'],
  ])('keeps every digit of the keys %j and %j', { tags: ['SE-49', 'SE-50'] }, async (...keys) => {
    const answer = await search('csv', `k,a\n${keys.map((key) => `${key},x\n`).join('')}`, { numeric: ['k'] });
    const plain = keys.map((key) => key.trim().replaceAll('_', '')).map((key) => (/^[+-]?[0-9]+$/.test(key) ? String(BigInt(key)) : String(Number(key))));
    const ids = 'error' in answer ? answer : answer.hits.map(({ id }) => id);
    expect(ids).toEqual(plain.sort((a, b) => (BigInt(a.split('.')[0] ?? '') < BigInt(b.split('.')[0] ?? '') ? -1 : 1)));
  });

  it.each([
    ['1.0', '1'],
    ['0.5', '5e-1'],
    ['9007199254740993.0', '9007199254740992'],
    ['-0', '0', '9007199254740993'],
  ])('whose keys are the numbers %s and %s has one twice', { tags: ['SE-47'] }, async (...keys) => {
    const answer = await search('csv', `k,a\n${keys.map((key) => `${key},x\n`).join('')}`, { numeric: ['k'] });
    expect(answer).toEqual({ error: 'EXECUTION_FAILED', message: 'the primary key is not unique' });
  });

  it.each(['y', '1.0', 'nan', 'inf', '1e400', ''])('whose numeric key is also %j fails, 1 being there', { tags: ['SE-47'] }, async (key) => {
    expect(await search('csv', `k,a\n1,x\n${key},x\n`, { numeric: ['k'] })).toMatchObject({ error: 'EXECUTION_FAILED' });
  });

  it('fails when another numeric column holds something else', { tags: ['SE-68'] }, async () => {
    expect(await search('csv', 'k,n,a\n1,2,x\n2,y,x\n', { numeric: ['n'] })).toMatchObject({ error: 'EXECUTION_FAILED' });
    expect(await search('csv', 'k,a\n1,2\n', { numeric: ['none'] })).toMatchObject({ error: 'EXECUTION_FAILED' });
  });
});

describe('a JSON Lines file', () => {
  it.each([
    ['a line that is no JSON', '{"k":1}\n{"k":2,}\n'],
    ['NaN', '{"k":1,"a":NaN}\n'],
    ['a line that is an array', '{"k":1}\n[2]\n'],
    ['a name twice in an object', '{"k":1,"a":"x","\\u0061":"y"}\n'],
    ['no key in a line', '{"k":1}\n{"a":"x"}\n'],
    ['a null key', '{"k":null}\n'],
    ['a key that only inherits', '{"a":1}\n'],
    ['keys of two kinds', '{"k":1}\n{"k":"1"}\n'],
    ['a repeated key', '{"k":1}\n{"k":2}\n{"k":1.0}\n'],
    ['a key beyond all doubles', '{"k":1e400}\n'],
    ['a key with half of a pair', '{"k":"\\ud800"}\n'],
    ['a text with half of a pair that matches', '{"k":1,"a":"\\ud800q"}\n'],
    ['a text with half of a pair that does not match', '{"k":1,"a":"q"}\n{"k":2,"a":"\\uDfFf"}\n'],
    ['the halves of a pair the wrong way round', '{"k":1,"a":"\\udc00\\ud800"}\n'],
    ['a name with half of a pair', '{"k":1,"\\udc00":"q"}\n'],
    ['a text deep inside with half of a pair', '{"k":1,"a":[{"b":["\\ud83d"]}]}\n'],
    ['bytes that are not UTF-8', Buffer.from('{"k":"\xff"}', 'latin1')],
  ])('with %s fails', { tags: ['SE-47', 'SE-68'] }, async (_, content) => {
    expect(await search('jsonl', content, { query: 'q' })).toMatchObject({ error: 'EXECUTION_FAILED' });
  });

  it('does not know __proto__ or constructor as anything but names', { tags: ['SE-48'] }, async () => {
    const line = '{"constructor":"x","__proto__":"x","k":"toString"}\n';
    expect(await search('jsonl', line)).toEqual({ count: 1, hits: [{ id: 'toString', match_field: '__proto__', match_snippet: 'x' }] });
    expect(await search('jsonl', line, { primaryKey: 'toString' })).toMatchObject({ error: 'EXECUTION_FAILED' });
  });

  it('reads a whole pair, and what only looks like half of one', { tags: ['SE-55'] }, async () => {
    const whole = await search('jsonl', '{"k":1,"a":"\\ud83d\\ude00x"}\n');
    expect(whole).toEqual({ count: 1, hits: [{ id: '1', match_field: 'a', match_snippet: '\u{1f600}x' }] });
    const escaped = await search('jsonl', '{"k":1,"a":"\\\\ud800x"}\n');
    expect(escaped).toEqual({ count: 1, hits: [{ id: '1', match_field: 'a', match_snippet: '\\ud800x' }] });
  });

  it('fails on a line above 16 MiB without reading on', { tags: ['SE-69'] }, async () => {
    expect(await search('jsonl', `{"k":1,"a":"${'y'.repeat(18 * 1024 * 1024)}"}\n`)).toEqual({
      error: 'RESOURCE_EXHAUSTED',
      message: 'line 1 is longer than 16 MiB',
    });
  });
});

describe('an SQLite table', () => {
  function make(sql: string): string {
    const file = path.join(bench.directory, `made-${Math.random()}.db`);
    const db = new Sqlite(file);
    db.exec(sql);
    db.close();
    return file;
  }

  it.each([
    ['CREATE TABLE t (a)', 'EXECUTION_FAILED'],
    ["CREATE TABLE t (k, a); INSERT INTO t VALUES (1, 'x'), (1.0, 'y')", 'EXECUTION_FAILED'],
    ["CREATE TABLE t (k, a); INSERT INTO t VALUES (NULL, 'y')", 'EXECUTION_FAILED'],
    ["CREATE TABLE t (k, a); INSERT INTO t VALUES (1, 'y'), ('1', 'y')", 'EXECUTION_FAILED'],
    ["CREATE TABLE t (k, a); INSERT INTO t VALUES (x'00', 'y')", 'EXECUTION_FAILED'],
    ['CREATE TABLE u (k, a)', 'SCOPE_UNAVAILABLE'],
    ['CREATE TABLE T (k, a)', 'SCOPE_UNAVAILABLE'],
    ['CREATE VIRTUAL TABLE t USING fts5(k, a)', 'SCOPE_UNAVAILABLE'],
    ['CREATE VIEW t AS SELECT * FROM gone', 'EXECUTION_FAILED'],
  ])('%s: %s', { tags: ['SE-47', 'SE-67'] }, async (sql, error) => {
    expect(await bench.search(at('sqlite', make(sql)))).toMatchObject({ error });
  });

  it.each([
    ["CREATE TABLE t (k TEXT PRIMARY KEY, a) WITHOUT ROWID; INSERT INTO t VALUES ('1', 'x')", 'a'],
    ["CREATE TABLE t (k INTEGER PRIMARY KEY, b, a AS (b || 'x')); INSERT INTO t (b) VALUES ('y')", 'a'],
    ["CREATE TABLE u (i INTEGER PRIMARY KEY, b); INSERT INTO u VALUES (1, 'x'); CREATE VIEW t AS SELECT i AS k, b FROM u", 'b'],
  ])('%s is searched', { tags: ['SE-48'] }, async (sql, field) => {
    expect(await bench.search(at('sqlite', make(sql)))).toMatchObject({ count: 1, hits: [{ id: '1', match_field: field }] });
  });

  it('is read with its hot write-ahead log, and stays as it is', { tags: ['SE-03'] }, async () => {
    const file = path.join(bench.directory, 'hot.db');
    const writer = new Sqlite(file);
    writer.pragma('journal_mode = WAL');
    writer.exec("CREATE TABLE t (k INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'x')");
    const before = [await fs.readFile(file), await fs.readFile(`${file}-wal`)];
    expect(await bench.search(at('sqlite', file))).toMatchObject({ count: 1 });
    expect([await fs.readFile(file), await fs.readFile(`${file}-wal`)]).toEqual(before);
    writer.close();
  });

  it('in a damaged file fails', { tags: ['SE-68'] }, async () => {
    const file = make(`CREATE TABLE t (k, a); INSERT INTO t SELECT value, 'x' FROM json_each('[${[...Array(3000).keys()].join()}]')`);
    const bytes = await fs.readFile(file);
    bytes.fill(0xee, 5000, bytes.length - 2000);
    await fs.writeFile(file, bytes);
    expect(await bench.search(at('sqlite', file))).toMatchObject({ error: 'EXECUTION_FAILED' });
  });
});

describe('DuckDB', () => {
  it('is optional: without it CSV and Parquet are unavailable', { tags: ['SE-67'] }, async () => {
    const columns = createDuckDbColumns(undefined, { spillDirectory: bench.spillDirectory, memoryBytes: 1e8, threads: 1 });
    expect(await columns.first({ kind: 'datasets', ...at('csv', '/none') }, 'x', 1)).toMatchObject({ ok: false, code: 'SCOPE_UNAVAILABLE' });
  });

  const DISABLED = /^Permission Error: .*file system operations are disabled by configuration/s;
  const NO_EXTENSION = /^Permission Error: Loading external extensions is disabled through configuration/;
  const LOCKED = /^Invalid Input Error: Cannot change configuration option ".*" - the configuration has been locked/s;
  it.each([
    ["SELECT * FROM read_csv('$other')", DISABLED],
    ["SELECT * FROM read_text('/etc/hostname')", DISABLED],
    ["SELECT * FROM read_blob('$file/../other.csv')", DISABLED],
    ["SELECT * FROM '$other'", DISABLED],
    ["SELECT * FROM glob('/*')", DISABLED],
    ["SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')", DISABLED],
    ["ATTACH '$other'", DISABLED],
    ["COPY (SELECT 1) TO '$other'", DISABLED],
    ["COPY (SELECT 1) TO '$file'", DISABLED],
    ["EXPORT DATABASE '$other'", DISABLED],
    ['INSTALL httpfs', DISABLED],
    ['LOAD httpfs', NO_EXTENSION],
    ["LOAD '$other'", NO_EXTENSION],
    ["SELECT getenv('PATH')", /^Catalog Error: Scalar Function with name getenv does not exist!/],
    ['SET enable_external_access = true', LOCKED],
    ["SET allowed_paths = ['/etc/hostname']", LOCKED],
    ["SET temp_directory = '/tmp'", LOCKED],
    ["PRAGMA memory_limit = '1TB'", LOCKED],
    ['RESET lock_configuration', LOCKED],
  ])('cannot do %s in a session of ours', { tags: ['SE-11', 'SE-13'] }, async (sql, error) => {
    const duckdb = await loadDuckDb();
    if (duckdb === undefined) throw new Error('DuckDB is not installed');
    const [file, other] = ['one.csv', 'other.csv'].map((name) => path.join(bench.directory, name));
    for (const place of [file, other]) await fs.writeFile(place ?? '', 'k\n1\n');
    const options = { spillDirectory: bench.spillDirectory, memoryBytes: 1e8, threads: 1 };
    const leave = sql.replace('$file', file ?? '').replace('$other', other ?? '');
    await withSession(duckdb, file ?? '', options, async ({ rows }) => {
      expect(await rows(`SELECT count(*) FROM read_csv('${file}')`)).toEqual([[1n]]);
      await expect(rows(leave)).rejects.toThrow(error);
    });
    expect(await fs.readFile(file ?? '', 'utf8')).toBe('k\n1\n');
    expect(await fs.readFile(other ?? '', 'utf8')).toBe('k\n1\n');
  });
});
