import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import { assertAtPath } from '../../adapters/sqlite/opened-file.ts';
import { DATABASE, openMessagesReader } from './open.ts';

/** The database of messages for reading, opened when it is first asked for. */
export interface MessagesReader {
  /** @throws WritError STORAGE_UNAVAILABLE while there is none, or not the one that was opened; the next call looks again */
  database(): SqliteDatabase;
  close(): void;
}

export function createMessagesReader(file: string): MessagesReader {
  let opened: { readonly db: SqliteDatabase; readonly assertSame: () => void } | undefined;
  return {
    database() {
      opened ??= { db: openMessagesReader(file), assertSame: assertAtPath(file, DATABASE) };
      // Whoever asks keeps statements of it, so another one is not taken up here.
      opened.assertSame();
      return opened.db;
    },
    close() {
      opened?.db.close();
      opened = undefined;
    },
  };
}
