import { workerData } from 'node:worker_threads';
import { threadSide } from '../../threads/serve.ts';
import { openJournalEngine } from './journal-engine.ts';
import type { JournalCalls } from './journal-requests.ts';

/** The thread that owns the journal file: an fsync stops only this thread, never the event loop that renews locks. */
const { file } = workerData as { file: string };

threadSide<JournalCalls, never, string>().serve(() => {
  const engine = openJournalEngine(file);
  return { calls: engine, ready: engine.dataId, close: () => void engine.db.close(), throwing: 'death' };
});
