import { type JournalEngine, openJournalEngine } from './journal-engine.ts';
import { type JournalRequest, journalPort, notRunning, type SqliteFileJournal, settled } from './journal-requests.ts';

/**
 * The same journal without a thread: each request is a transaction of its own and blocks the event loop for its fsync.
 * For commands that do one thing and end, and for tests (`file: ':memory:'`); workers use `createFileJournal`.
 *
 * @throws WritError as `createFileJournal`.
 */
export function createInProcessJournal(options: { file: string }): SqliteFileJournal {
  let engine: JournalEngine | undefined;
  let dataId: string | undefined;

  async function answer(request: JournalRequest): Promise<unknown> {
    if (engine === undefined) throw notRunning();
    const [outcome] = engine.run([request]).map(settled);
    if (outcome === undefined) throw notRunning();
    if ('error' in outcome) throw outcome.error;
    return outcome.answer;
  }

  async function start(): Promise<void> {
    engine ??= openJournalEngine(options.file);
    dataId = engine.dataId;
  }

  async function stop(): Promise<void> {
    engine?.db.close();
    engine = undefined;
  }

  return {
    ...journalPort(answer),
    start,
    stop,
    [Symbol.asyncDispose]: stop,
    dataId() {
      if (dataId === undefined) throw notRunning();
      return dataId;
    },
  };
}
