import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorCode, isWritError, messageOf } from '../../../core/errors.ts';
import { createIndexEngine, type IndexEngine, type IndexOptions } from './task-index-engine.ts';
import type { FromIndexThread, IndexRole, IndexThreadData, ToIndexThread } from './task-index-messages.ts';
import { createIndexView, type IndexView } from './task-index-view.ts';

/** Neither a long page nor a batch of writes stops the event loop of the API, and neither waits for the other. */
const ENGINES = { write: createIndexEngine, read: createIndexView } satisfies Record<IndexRole, (options: IndexOptions) => IndexEngine | IndexView>;

const { role, options } = workerData as IndexThreadData;
const port = parentPort;
if (port === null) throw new Error('the thread of the task index runs only as a thread');

const say = (message: FromIndexThread): void => port.postMessage(message);

try {
  serve(ENGINES[role](options));
} catch (error) {
  say({ kind: 'refused', code: codeOf(error), message: messageOf(error) });
}

function serve(engine: IndexEngine | IndexView): void {
  const operations = new Map(Object.entries(engine));
  // The pair of operation and arguments was checked where it was asked.
  const run = (op: string, args: readonly unknown[]): unknown => (operations.get(op) as (...args: readonly unknown[]) => unknown)(...args);
  port?.on('message', (message: ToIndexThread) => {
    if (message.kind === 'stop') {
      engine.close();
      port.close();
      return;
    }
    const { id, op, args } = message;
    try {
      say({ kind: 'answer', id, value: run(op, args) });
    } catch (error) {
      say({ kind: 'error', id, code: codeOf(error), message: messageOf(error), field: isWritError(error) ? error.field : undefined });
    }
  });
  say({ kind: 'ready' });
}

function codeOf(error: unknown): ErrorCode {
  return isWritError(error) ? error.code : 'STORAGE_UNAVAILABLE';
}
