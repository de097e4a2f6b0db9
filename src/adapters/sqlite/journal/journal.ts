import { WritError } from '../../../core/errors.ts';
import { createThreadClient } from '../../threads/client.ts';
import { startThread } from '../../threads/thread-entry.ts';
import { createGroupCommit } from './journal-group-commit.ts';
import { type JournalCalls, type JournalRequest, journalPort, notRunning, type SqliteFileJournal, settled, WRITES } from './journal-requests.ts';

/** Requests per transaction: bounds how long the first of a batch waits for the last. */
const MAX_BATCH = 256;

export type { SqliteFileJournal } from './journal-requests.ts';

export interface FileJournalOptions {
  readonly file: string;
  /** Told of each batch that was committed or refused: how many requests shared it, and how long it took on its way to the thread, its fsync and back. */
  readonly onCommit?: (commit: { readonly requests: number; readonly seconds: number }) => void;
}

/**
 * The journal of file effects in one SQLite file (docs/protocol.md 5), owned by a thread of its own; several
 * processes may share the file. Concurrent requests share a transaction and its fsync; a promise that resolves is on
 * disk. A rejection with STORAGE_UNAVAILABLE means that nothing of the request stands for this and every other
 * process, and that the next request may work again.
 *
 * Requests outside `start`..`stop` are rejected with STORAGE_UNAVAILABLE; `stop` lets accepted ones finish.
 *
 * @throws WritError STORAGE_UNAVAILABLE from `start` when the file cannot be opened; WRONG_STATE from steps that an
 * attempt is not in the state for; INTERNAL from requests that break an invariant.
 */
export function createFileJournal(options: FileJournalOptions): SqliteFileJournal {
  let accepts = false;
  let stopping: Promise<void> | undefined;
  let id: string | undefined;

  const thread = createThreadClient<JournalCalls, never, string>({
    launch: () => startThread(import.meta.url, './journal-thread', { workerData: { file: options.file }, name: 'journal' }),
    launchedBy: 'start',
    code: 'STORAGE_UNAVAILABLE',
    died: (cause) => new WritError('STORAGE_UNAVAILABLE', 'the journal thread ended', { cause }),
    onDeath: () => {
      accepts = false;
    },
  });
  const commits = createGroupCommit<JournalRequest>({ max: MAX_BATCH, send: (requests) => void send(requests) });

  async function send(requests: readonly JournalRequest[]): Promise<void> {
    const left = performance.now();
    try {
      const replies = await thread.call('run', requests);
      // A batch that writes nothing has no fsync.
      if (options.onCommit && requests.some(({ op }) => WRITES[op])) {
        options.onCommit({ requests: requests.length, seconds: (performance.now() - left) / 1000 });
      }
      commits.settle(replies.map(settled));
    } catch (error) {
      commits.fail(error as Error);
    }
  }

  async function answer(request: JournalRequest): Promise<unknown> {
    if (!accepts) throw notRunning();
    return commits.ask(request);
  }

  async function start(): Promise<void> {
    await stopping;
    id = await thread.start();
    // Unless it was stopped meanwhile.
    accepts = thread.isRunning;
  }

  async function stop(): Promise<void> {
    accepts = false;
    stopping ??= end();
    await stopping;
  }

  async function end(): Promise<void> {
    await commits.idle();
    await thread.stop();
    stopping = undefined;
  }

  return {
    ...journalPort(answer),
    start,
    stop,
    [Symbol.asyncDispose]: stop,
    dataId() {
      if (id === undefined) throw notRunning();
      return id;
    },
  };
}
