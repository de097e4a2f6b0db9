import type { SqliteDatabase } from '../../adapters/sqlite/open.ts';
import { openMessagesReader } from './open.ts';

/** The database of messages for reading, opened when it is first asked for. */
export interface MessagesReader {
  /** @throws WritError STORAGE_UNAVAILABLE while there is none; the next call looks again */
  database(): SqliteDatabase;
  close(): void;
}

export function createMessagesReader(file: string): MessagesReader {
  let db: SqliteDatabase | undefined;
  return {
    database() {
      db ??= openMessagesReader(file);
      return db;
    },
    close() {
      db?.close();
      db = undefined;
    },
  };
}
