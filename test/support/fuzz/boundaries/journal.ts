import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openJournalDatabase } from '../../../../src/adapters/sqlite/journal/journal-open.ts';
import { SQL } from '../../../../src/adapters/sqlite/journal/journal-statements.ts';
import { isWritError, WritError } from '../../../../src/core/errors.ts';
import { type Boundary, outcomeOf } from '../boundary.ts';
import { scratch } from '../scratch.ts';

/** A journal whose file was damaged: opened as a worker opens it, and asked. SQLite judges its pages. */
export const journal: Boundary = {
  shape: 'bytes',
  what: 'the journal of a worker, its file damaged',
  async open() {
    const { home, remove } = scratch('journal');
    const file = path.join(home, 'journal.db');
    openJournalDatabase(file, (db) => {
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.pragma('journal_mode = DELETE');
      db.close();
    });
    return {
      seeds: [readFileSync(file)],
      words: ['SQLite format 3\0', 'CREATE TABLE', 'attempt', 'meta'],
      async run(input) {
        for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true });
        writeFileSync(file, input, { mode: 0o600 });
        return outcomeOf(() =>
          openJournalDatabase(file, (db) => {
            try {
              for (const sql of [SQL.dataId]) db.prepare(sql).all();
              for (const row of db.prepare('SELECT * FROM attempt LIMIT 10').iterate()) void row;
            } catch (error) {
              // What a worker meets here is an outage of its disk.
              if (!isWritError(error) && /^SQLITE_/.test(String((error as { code?: unknown }).code))) throw new WritError('STORAGE_UNAVAILABLE', String(error));
              throw error;
            } finally {
              db.close();
            }
          }),
        );
      },
      close: remove,
    };
  },
};
