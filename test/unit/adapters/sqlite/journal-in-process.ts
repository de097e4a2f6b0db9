import { batchRunner } from '../../../../src/adapters/sqlite/journal-batch.ts';
import { openJournalDatabase } from '../../../../src/adapters/sqlite/journal-open.ts';
import { journalReads } from '../../../../src/adapters/sqlite/journal-reads.ts';
import type { JournalReply, JournalRequest } from '../../../../src/adapters/sqlite/journal-requests.ts';
import { journalWrites } from '../../../../src/adapters/sqlite/journal-writes.ts';
import type { SqliteDatabase } from '../../../../src/adapters/sqlite/open.ts';

/** What the journal's thread does, in this one. */
export function journalInProcess(file: string): { db: SqliteDatabase; run: (requests: readonly JournalRequest[]) => readonly JournalReply[] } {
  const db = openJournalDatabase(file);
  return { db, run: batchRunner(db, { ...journalReads(db), ...journalWrites(db) }) };
}
