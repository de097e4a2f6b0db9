import { readdirSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Sqlite } from '../../../src/adapters/sqlite/driver.ts';
import { openForeignFile } from '../../../src/adapters/sqlite/foreign-file.ts';
import { createDatasetBench } from '../../support/datasets.ts';

let bench: Awaited<ReturnType<typeof createDatasetBench>>;
beforeAll(async () => {
  bench = await createDatasetBench();
});
afterAll(() => bench.close());

let made = 0;
function make(sql: string): string {
  made += 1;
  const file = path.join(bench.directory, `made-${made}.db`);
  const db = new Sqlite(file);
  db.exec(sql);
  db.close();
  return file;
}

function search(file: string, query = 'x', maxResults = 10) {
  return bench.search({ format: 'sqlite', path: file, table: 't', primaryKey: 'k', numeric: [], query, maxResults });
}

describe('texts of an SQLite table', () => {
  const latin1 = "CAST(x'4dfc6e6368656e' AS TEXT)";
  it.each([
    ['in a record that matches', `CREATE TABLE t (k, a, b); INSERT INTO t VALUES (1, 'x', ${latin1})`],
    ['in a record that does not', `CREATE TABLE t (k, a); INSERT INTO t VALUES (1, 'x'), (2, ${latin1})`],
    ['in a key', `CREATE TABLE t (k, a); INSERT INTO t VALUES (${latin1}, 'y')`],
    ['behind a NUL', "CREATE TABLE t (k, a); INSERT INTO t VALUES (1, CAST(x'610062ff' AS TEXT))"],
    ['in two halves that would be one character', "CREATE TABLE t (k, a); INSERT INTO t VALUES (1, CAST(x'c3' AS TEXT)), (2, CAST(x'a9' AS TEXT))"],
    ['as a surrogate', "CREATE TABLE t (k, a); INSERT INTO t VALUES (1, CAST(x'eda080' AS TEXT))"],
    ['with the lowest number of a record', `CREATE TABLE t (k, a); INSERT INTO t (rowid, k, a) VALUES (${-(2n ** 63n)}, 1, ${latin1}), (1, 2, 'x')`],
    ['with the highest number of a record', `CREATE TABLE t (k, a); INSERT INTO t (rowid, k, a) VALUES (${2n ** 63n - 1n}, 1, ${latin1}), (1, 2, 'x')`],
    ['in a table without numbers', `CREATE TABLE t (k TEXT PRIMARY KEY, a) WITHOUT ROWID; INSERT INTO t VALUES ('1', ${latin1})`],
    ['in a view', `CREATE TABLE u (i, a); INSERT INTO u VALUES (1, ${latin1}); CREATE VIEW t AS SELECT i AS k, a FROM u`],
    ['in UTF-16', "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t (k, a); INSERT INTO t VALUES (1, CAST(x'00d86100' AS TEXT))"],
    ['in UTF-16, high byte first', "PRAGMA encoding = 'UTF-16be'; CREATE TABLE t (k, a); INSERT INTO t VALUES (1, CAST(x'd8000061' AS TEXT))"],
  ])('that are not Unicode fail the search: %s', { tags: ['SE-68'] }, async (_, sql) => {
    expect(await search(make(sql))).toEqual({ error: 'EXECUTION_FAILED', message: 'a text of the table is not Unicode' });
  });

  it('are checked far down, and bytes that are no text are none of our business', { tags: ['SE-68'] }, async () => {
    const rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO t SELECT i * i, 'x', x'ff', NULL FROM n";
    const file = make(`CREATE TABLE t (k INTEGER PRIMARY KEY, a, b, c); ${rows}`);
    expect(await search(file)).toMatchObject({ count: 5000, hits: { length: 10 } });
    const db = new Sqlite(file);
    db.exec("UPDATE t SET c = CAST(x'ff' AS TEXT) WHERE k = 4900 * 4900");
    db.close();
    expect(await search(file)).toMatchObject({ error: 'EXECUTION_FAILED', message: 'a text of the table is not Unicode' });
  });

  it.each(['UTF-8', 'UTF-16le', 'UTF-16be'])(
    'order by code point in a %s file, and are given as they are, NUL and all',
    { tags: ['SE-49'] },
    async (encoding) => {
      const keys = ['a', '\u0100', '\uff5e', '\u{1f600}', 'a\0b'];
      const file = path.join(bench.directory, `order-${encoding}.db`);
      const db = new Sqlite(file);
      db.pragma(`encoding = '${encoding}'`);
      db.exec('CREATE TABLE t (k TEXT, a TEXT)');
      for (const key of keys.toReversed()) db.prepare('INSERT INTO t VALUES (?, ?)').run(key, `\0 ${key} x\0y`);
      db.close();
      const found = ['a', 'a\0b', '\u0100', '\uff5e', '\u{1f600}'].map((id) => ({ id, match_field: 'a', match_snippet: `\0 ${id} x\0y` }));
      expect(await search(file, 'x\0y')).toEqual({ count: 5, hits: found });
      expect(await search(file, 'x\0y', 2)).toEqual({ count: 5, hits: found.slice(0, 2) });
    },
  );

  it('are found whatever the columns are called', { tags: ['SE-48'] }, async () => {
    const file = make("CREATE TABLE t (rowid, oid, _ROWID_, k, place, row, field); INSERT INTO t VALUES (7, 'x', 1, 1, 2, 3, 4), (8, 'y', 1, 2, 'x', 3, 4)");
    expect(await search(file)).toEqual({
      count: 2,
      hits: [
        { id: '1', match_field: 'oid', match_snippet: 'x' },
        { id: '2', match_field: 'place', match_snippet: 'x' },
      ],
    });
  });
});

describe('the file of an SQLite table', () => {
  let place = '';
  let outside = '';
  beforeEach(() => {
    place = make("CREATE TABLE t (k, a); INSERT INTO t VALUES (1, 'inside')");
    outside = make("CREATE TABLE t (k, a); INSERT INTO t VALUES (1, 'outside')");
  });

  it('is the one that was opened, also when it is renamed before SQLite opens it', { tags: ['SE-11'] }, () => {
    const file = openForeignFile(place, () => {
      renameSync(place, `${place}.away`);
      renameSync(outside, place);
    });
    if (!file.ok) throw new Error(file.message);
    expect(file.db.prepare('SELECT a FROM t').pluck().get()).toBe('inside');
    file.close();
  });

  it('that is replaced by another file or a link before SQLite opens it is not read', { tags: ['SE-11', 'SE-67'] }, async () => {
    const open = new Set(readdirSync('/proc/self/fd'));
    expect(() => openForeignFile(place, () => renameSync(outside, place))).toThrow(expect.objectContaining({ code: 'SQLITE_CANTOPEN' }));
    outside = make("CREATE TABLE t (k, a); INSERT INTO t VALUES (1, 'outside')");
    const replaceByLink = (): void => {
      symlinkSync(outside, `${place}.link`);
      renameSync(`${place}.link`, place);
    };
    expect(() => openForeignFile(place, replaceByLink)).toThrow(expect.objectContaining({ code: 'SQLITE_CANTOPEN' }));
    expect(new Set(readdirSync('/proc/self/fd'))).toEqual(open);
  });

  it('that is removed is not mixed up with one of the name that the kernel then tells', { tags: ['SE-11', 'SE-67'] }, () => {
    const removeIt = (): void => {
      renameSync(outside, `${place} (deleted)`);
      unlinkSync(place);
    };
    expect(openForeignFile(place, removeIt)).toEqual({ ok: false, code: 'SCOPE_UNAVAILABLE', message: 'the file was replaced while it was opened' });
  });
});
