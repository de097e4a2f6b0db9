import { parentPort, workerData } from 'node:worker_threads';
import { isWritError, messageOf } from '../../../core/errors.ts';
import { type JournalEngine, openJournalEngine } from './journal-engine.ts';
import type { FromThread, ToThread } from './journal-requests.ts';

/** The thread that owns the journal file: an fsync stops only this thread, never the event loop that renews locks. */
const { file } = workerData as { file: string };
const port = parentPort;
if (port === null) throw new Error('the journal thread runs only as a thread');

const say = (message: FromThread): void => port.postMessage(message);

try {
  serve(openJournalEngine(file));
} catch (error) {
  say({ kind: 'failed', code: isWritError(error) ? error.code : 'STORAGE_UNAVAILABLE', message: messageOf(error) });
}

function serve(engine: JournalEngine): void {
  port?.on('message', (message: ToThread) => {
    if (message.kind === 'batch') return say({ kind: 'replies', replies: engine.run(message.requests) });
    engine.db.close();
    port.close();
  });
  say({ kind: 'ready', dataId: engine.dataId });
}
