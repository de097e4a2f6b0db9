import { openMessagesReader } from '../../../src/messages/store/open.ts';

/** What a statement finds in a database of messages, each row a list. */
export function rowsIn(file: string, sql: string): readonly unknown[] {
  const db = openMessagesReader(file);
  try {
    return db.prepare(sql).raw().all();
  } finally {
    db.close();
  }
}
