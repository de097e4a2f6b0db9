import type { SqliteDatabase } from '../open.ts';
import { batchRunner } from './journal-batch.ts';
import { dataIdOf, openJournalDatabase } from './journal-open.ts';
import { journalReads } from './journal-reads.ts';
import type { JournalCalls } from './journal-requests.ts';
import { journalWrites } from './journal-writes.ts';

/** An open journal file and what runs batches of requests on it; everything here blocks its thread. */
export interface JournalEngine extends JournalCalls {
  readonly db: SqliteDatabase;
  readonly dataId: string;
}

/** @throws WritError STORAGE_UNAVAILABLE when the file cannot be opened as a journal. */
export function openJournalEngine(file: string): JournalEngine {
  return openJournalDatabase(file, (db) => ({ db, dataId: dataIdOf(db), run: batchRunner(db, { ...journalReads(db), ...journalWrites(db) }) }));
}
