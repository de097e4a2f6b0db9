import { isWritError, messageOf, WritError } from '../../../core/errors.ts';
import type { SqliteDatabase } from '../open.ts';
import { dataIdOf, openJournalDatabase } from './journal-open.ts';
import { type JournalReads, journalReads } from './journal-reads.ts';

/** The answers of a journal to a process that only looks: the command line, beside a running worker. */
export interface JournalReader extends JournalReads, Disposable {
  dataId(): string;
  close(): void;
}

/**
 * Opens an existing journal file read-only. Every answer is the state of the last COMMIT, of whichever process.
 *
 * @throws WritError STORAGE_UNAVAILABLE when there is no journal there, or it cannot be read.
 */
export function openJournalReader(file: string): JournalReader {
  const reader = (db: SqliteDatabase): JournalReader => {
    const close = (): void => void db.close();
    return { ...guarded(journalReads(db)), dataId: () => dataIdOf(db), close, [Symbol.dispose]: close };
  };
  return openJournalDatabase(file, reader, { readonly: true });
}

/** The same functions, with SQLite's errors in our own terms. */
function guarded(reads: JournalReads): JournalReads {
  const guard =
    <A extends unknown[], R>(read: (...args: A) => R) =>
    (...args: A): R => {
      try {
        return read(...args);
      } catch (error) {
        throw unreadable(error);
      }
    };
  return {
    view: guard(reads.view),
    openAttempts: guard(reads.openAttempts),
    successes: guard(reads.successes),
    incidents: guard(reads.incidents),
    openIncidents: guard(reads.openIncidents),
    vaultEntries: guard(reads.vaultEntries),
    vaultUsage: guard(reads.vaultUsage),
    counts: guard(reads.counts),
    trimmedTasks: guard(reads.trimmedTasks),
  };
}

function unreadable(error: unknown): WritError {
  return isWritError(error) ? error : new WritError('STORAGE_UNAVAILABLE', `the journal cannot be read: ${messageOf(error)}`, { cause: error });
}
