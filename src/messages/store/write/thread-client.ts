import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../adapters/threads/thread-entry.ts';
import { messageOf, WritError } from '../../../core/errors.ts';
import type { IngestBatch } from '../../../core/ports/index.ts';
import type { Applied } from './engine.ts';
import type { FromWriter, ToWriter, WriterThreadData } from './thread-messages.ts';

/** The thread of the writer: one call at a time. A thread that died is started again by the next call. */
export interface WriterThread {
  open(): Promise<void>;
  /** Throws WritError STORAGE_UNAVAILABLE. */
  apply(batches: readonly IngestBatch[]): Promise<Applied>;
  close(): Promise<void>;
}

export function createWriterThread(file: string, onRebuild: (documents: number) => void): WriterThread {
  let worker: Worker | undefined;
  let heard: ((message: FromWriter) => void) | undefined;

  function launch(): Worker {
    const thread = startThread(import.meta.url, './writer-thread', { workerData: { file } satisfies WriterThreadData, name: 'message-writer' });
    let cause: unknown;
    thread.on('error', (error) => {
      cause = error;
    });
    thread.on('message', (message: FromWriter) => (message.kind === 'rebuilding' ? onRebuild(message.documents) : heard?.(message)));
    thread.on('exit', () => {
      if (worker === thread) worker = undefined;
      heard?.({ kind: 'failed', message: `the thread of the writer ended${cause === undefined ? '' : `: ${messageOf(cause)}`}` });
    });
    return thread;
  }

  const next = async (): Promise<FromWriter> => {
    const message = await new Promise<FromWriter>((resolve) => {
      heard = resolve;
    });
    heard = undefined;
    if (message.kind === 'failed') throw new WritError('STORAGE_UNAVAILABLE', message.message);
    return message;
  };

  async function running(): Promise<Worker> {
    if (worker !== undefined) return worker;
    worker = launch();
    await next();
    return worker;
  }

  return {
    async open() {
      await running();
    },
    async apply(batches) {
      const thread = await running();
      thread.postMessage({ kind: 'apply', batches } satisfies ToWriter);
      const answer = await next();
      if (answer.kind !== 'applied') throw new WritError('STORAGE_UNAVAILABLE', 'the writer of messages answered something else');
      return answer.applied;
    },
    async close() {
      const thread = worker;
      if (thread === undefined) return;
      const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
      thread.postMessage({ kind: 'stop' } satisfies ToWriter);
      await ended;
    },
  };
}
