import type { SqliteDatabase } from '../../../adapters/sqlite/open.ts';
import type { ContentIndexStore, ContentIndexView, RecordsAnswer } from '../../../core/ports/index.ts';
import { answerOf, hasRecords, openRecords, type RecordsFile } from './sqlite-open.ts';
import { sqliteRecords } from './sqlite-records.ts';

/**
 * Opens the records of indexes in a cache root for the one writer, and makes them if there are none. Damaged records are
 * refused, not replaced: `removeRecords` does that, when nobody has them open.
 */
export function openContentIndexStore(file: RecordsFile): RecordsAnswer<ContentIndexStore> {
  return answerOf(() => storeOn(openRecords(file, { readonly: false })));
}

/** Opens them for looking only. @returns `undefined` as value while there are none */
export function openContentIndexView(file: RecordsFile): RecordsAnswer<ContentIndexView | undefined> {
  return answerOf(() => {
    if (!hasRecords(file.directory)) return undefined;
    const { read, close } = storeOn(openRecords(file, { readonly: true }));
    return { read, close };
  });
}

function storeOn(db: SqliteDatabase): ContentIndexStore {
  const records = sqliteRecords(db);
  return {
    // A transaction, so that everything that is read belongs to one moment.
    read: (work) => answerOf(() => db.transaction(() => work(records)).deferred()),
    // IMMEDIATE takes the lock before anything is read: no transaction is thrown away half-way because another was first.
    write: (work) => answerOf(() => db.transaction(() => work(records)).immediate()),
    close: () => void db.close(),
  };
}
