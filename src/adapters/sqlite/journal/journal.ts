import type { Worker } from 'node:worker_threads';
import { WritError } from '../../../core/errors.ts';
import { startThread } from '../../threads/thread-entry.ts';
import { createGroupCommit } from './journal-group-commit.ts';
import { journalPort, notRunning, type SqliteFileJournal, settled } from './journal-port.ts';
import { type FromThread, type JournalRequest, type ToThread, WRITES } from './journal-requests.ts';

/** Requests per transaction: bounds how long the first of a batch waits for the last. */
const MAX_BATCH = 256;

export type { SqliteFileJournal } from './journal-port.ts';

export interface FileJournalOptions {
  readonly file: string;
  /** Told of each batch that was committed or refused: how many requests shared it, and how long it took on its way to the thread, its fsync and back. */
  readonly onCommit?: (commit: { readonly requests: number; readonly seconds: number }) => void;
}

type State = 'stopped' | 'starting' | 'running' | 'stopping';

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
  let state: State = 'stopped';
  let thread: Worker | undefined;
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;
  let id: string | undefined;

  /** When the batch on its way left; undefined for one that writes nothing, hence has no fsync. */
  let left: { at: number; requests: number } | undefined;

  const commits = createGroupCommit<JournalRequest>({
    max: MAX_BATCH,
    send(requests) {
      left = options.onCommit && requests.some(({ op }) => WRITES[op]) ? { at: performance.now(), requests: requests.length } : undefined;
      tell({ kind: 'batch', requests });
    },
  });

  function tell(message: ToThread): void {
    thread?.postMessage(message);
  }

  async function answer(request: JournalRequest): Promise<unknown> {
    if (state !== 'running') throw notRunning();
    return commits.ask(request);
  }

  function launch(): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = startThread(import.meta.url, './journal-thread', { workerData: { file: options.file }, name: 'journal' });
      thread = worker;
      worker.on('message', (message: FromThread) => {
        if (message.kind === 'replies') {
          if (left) options.onCommit?.({ requests: left.requests, seconds: (performance.now() - left.at) / 1000 });
          return commits.settle(message.replies.map(settled));
        }
        if (message.kind === 'failed') return reject(new WritError(message.code, message.message));
        id = message.dataId;
        resolve();
      });
      let cause: unknown;
      worker.on('error', (error) => {
        cause = error;
      });
      worker.on('exit', () => {
        thread = undefined;
        if (state === 'running') state = 'stopped';
        const error = new WritError('STORAGE_UNAVAILABLE', 'the journal thread ended', { cause });
        commits.fail(error);
        reject(error);
      });
    });
  }

  async function start(): Promise<void> {
    await stopping;
    if (state === 'running') return;
    starting ??= begin();
    await starting;
  }

  async function begin(): Promise<void> {
    state = 'starting';
    try {
      await launch();
      state = 'running';
    } catch (error) {
      state = 'stopped';
      await thread?.terminate();
      throw error;
    } finally {
      starting = undefined;
    }
  }

  async function stop(): Promise<void> {
    // No await when nothing is starting: from this call on, requests are refused.
    if (starting !== undefined) await starting.catch(() => undefined);
    if (state === 'running') {
      state = 'stopping';
      stopping = end();
    }
    await stopping;
  }

  async function end(): Promise<void> {
    await commits.idle();
    await exitOf(thread, () => tell({ kind: 'stop' }));
    state = 'stopped';
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

/** Asks the thread to end and waits until it has. */
async function exitOf(worker: Worker | undefined, ask: () => void): Promise<void> {
  if (worker === undefined) return;
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  ask();
  await exited;
}
