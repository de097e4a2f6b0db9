import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Sqlite } from '../../../src/adapters/sqlite/driver.ts';
import { createFileJournal } from '../../../src/adapters/sqlite/journal/journal.ts';
import { openJournalReader } from '../../../src/adapters/sqlite/journal/journal-reader.ts';
import { deleteIntent, moveIntent, succeeded } from '../../conformance/journal-fixtures.ts';
import { startChild, temporaryDirectory } from './fixture.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let file: string;
beforeEach(() => {
  directory = temporaryDirectory();
  file = path.join(directory.path, 'journal.db');
});
afterEach(() => directory.remove());

describe('reading a journal from the command line', () => {
  it('shows every commit of a worker that runs', async () => {
    const journal = createFileJournal({ file });
    await journal.start();
    const reader = openJournalReader(file);
    expect(reader.dataId()).toBe(journal.dataId());
    expect(reader.counts()).toEqual({ open: 0, success: 0, failure: 0, incidents: 0 });
    await journal.open(deleteIntent('a'), { bytes: 5, quota: 10 }, 1);
    expect(reader.openAttempts()).toEqual(await journal.openAttempts());
    await journal.close('a', 1, succeeded(), 2);
    await journal.reportIncident({ taskId: 'a', what: 'x', details: {} }, 3);
    expect(reader.view('a')).toEqual(await journal.view('a'));
    expect(reader.vaultEntries({}, undefined, 5)).toEqual(await journal.vaultEntries({}, undefined, 5));
    expect(reader.vaultUsage()).toEqual(await journal.vaultUsage());
    expect(reader.incidents(5)).toEqual(await journal.incidents(5));
    expect(reader.successes(undefined, 5)).toEqual(await journal.successes(undefined, 5));
    await journal.stop();
    expect(reader.counts()).toMatchObject({ success: 1 });
    reader.close();
  });

  it('works in a process of its own while the worker writes, and after it', async () => {
    const journal = createFileJournal({ file });
    await journal.start();
    await journal.open(moveIntent('a'), undefined, 1);
    const beside = startChild('./reader-child.ts', [file]);
    await Promise.all(Array.from({ length: 50 }, (_, i) => journal.open(moveIntent(`t${i}`), undefined, 1)));
    expect((JSON.parse(await beside.output) as { open: number }).open).toBeGreaterThan(0);
    await journal.stop();
    expect(readdirSync(directory.path)).toEqual(['journal.db']);
    expect(JSON.parse(await startChild('./reader-child.ts', [file]).output)).toMatchObject({ open: 51 });
  });

  it('refuses what is no journal of this version, and creates nothing', () => {
    const refused = expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' });
    expect(() => openJournalReader(file)).toThrow(refused);
    expect(readdirSync(directory.path)).toEqual([]);
    writeFileSync(file, 'no database '.repeat(100));
    expect(() => openJournalReader(file)).toThrow(refused);
    const other = path.join(directory.path, 'other.db');
    const db = new Sqlite(other);
    db.exec('CREATE TABLE t (x)');
    expect(() => openJournalReader(other)).toThrow(refused);
    db.pragma('user_version = 99');
    db.close();
    expect(() => openJournalReader(other)).toThrow(/has schema 99/);
  });
});
