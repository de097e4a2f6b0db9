import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../../../src/adapters/sqlite/migrate.ts';
import { openDatabase } from '../../../../src/adapters/sqlite/open.ts';

let directory: string;
let file: string;
let migrations: URL;
const write = (name: string, sql: string): void => writeFileSync(path.join(directory, 'sql', name), sql);
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'writ-migrate-'));
  file = path.join(directory, 'test.db');
  mkdirSync(path.join(directory, 'sql'));
  migrations = pathToFileURL(path.join(directory, 'sql'));
  write('001_begin.sql', 'CREATE TABLE t (x);');
  write('002_more.sql', 'INSERT INTO t VALUES (1); INSERT INTO t VALUES (2);');
  write('README.md', 'no migration');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('opening a database', () => {
  it('writes through a log that every commit syncs, and checks references', () => {
    const db = openDatabase(file);
    const pragma = (name: string): unknown => db.pragma(name, { simple: true });
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('busy_timeout'), pragma('foreign_keys')]).toEqual(['wal', 2, 5000, 1]);
    db.close();
  });

  it('refuses to write when only reading was asked, and to invent a file', () => {
    expect(() => openDatabase(file, { readonly: true })).toThrow(expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' }));
    openDatabase(file).exec('CREATE TABLE t (x)').close();
    const db = openDatabase(file, { readonly: true });
    expect(() => db.exec('INSERT INTO t VALUES (1)')).toThrow(/readonly/);
    db.close();
  });
});

describe('migrating', () => {
  it('applies each file once, in order', () => {
    const db = openDatabase(file);
    expect(migrate(db, migrations)).toBe(2);
    expect(migrate(db, migrations)).toBe(2);
    write('003_again.sql', 'INSERT INTO t VALUES (3)');
    expect(migrate(db, new URL(`${migrations.href}/`))).toBe(3);
    expect(db.prepare('SELECT x FROM t').pluck().all()).toEqual([1, 2, 3]);
    db.close();
  });

  it('takes a broken step back whole, and keeps the ones before it', () => {
    write('003_broken.sql', 'INSERT INTO t VALUES (3); INSERT INTO nowhere VALUES (1)');
    const db = openDatabase(file);
    expect(() => migrate(db, migrations)).toThrow(/nowhere/);
    expect(db.pragma('user_version', { simple: true })).toBe(2);
    expect(db.prepare('SELECT x FROM t').pluck().all()).toEqual([1, 2]);
    db.close();
  });

  it('refuses a database of a newer version, and an old one that it may not change', () => {
    openDatabase(file).close();
    const reader = openDatabase(file, { readonly: true });
    expect(() => migrate(reader, migrations)).toThrow(/has schema 0/);
    reader.close();
    const db = openDatabase(file);
    migrate(db, migrations);
    db.pragma('user_version = 3');
    expect(() => migrate(db, migrations)).toThrow(/has schema 3/);
    db.close();
  });

  it.each(['004_gap.sql', '3_short.sql', '003_Upper.sql'])('refuses a misnamed step: %s', (name) => {
    write(name, 'SELECT 1');
    const db = openDatabase(file);
    expect(() => migrate(db, migrations)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    db.close();
  });
});
