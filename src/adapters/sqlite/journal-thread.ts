import { parentPort, workerData } from 'node:worker_threads';
import { isWritError, messageOf } from '../../core/errors.ts';
import { batchRunner } from './journal-batch.ts';
import { dataIdOf, openJournalDatabase } from './journal-open.ts';
import { journalReads } from './journal-reads.ts';
import type { FromThread, ToThread } from './journal-requests.ts';
import { journalWrites } from './journal-writes.ts';
import type { SqliteDatabase } from './open.ts';

/** The thread that owns the journal file: an fsync stops only this thread, never the event loop that renews locks. */
const { file } = workerData as { file: string };
const port = parentPort;
if (port === null) throw new Error('the journal thread runs only as a thread');

const say = (message: FromThread): void => port.postMessage(message);

try {
  serve(openJournalDatabase(file));
} catch (error) {
  say({ kind: 'failed', code: isWritError(error) ? error.code : 'STORAGE_UNAVAILABLE', message: messageOf(error) });
}

function serve(db: SqliteDatabase): void {
  const run = batchRunner(db, { ...journalReads(db), ...journalWrites(db) });
  port?.on('message', (message: ToThread) => {
    if (message.kind === 'batch') return say({ kind: 'replies', replies: run(message.requests) });
    db.close();
    port.close();
  });
  say({ kind: 'ready', dataId: dataIdOf(db) });
}
