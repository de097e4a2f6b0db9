import { parentPort, workerData } from 'node:worker_threads';
import { type ErrorCode, isWritError, messageOf } from '../../core/errors.ts';
import { createIndexEngine, type IndexEngine, type IndexOptions } from './task-index-engine.ts';
import type { FromIndexThread, IndexOperation, ToIndexThread } from './task-index-messages.ts';

/** The thread that owns the task index: neither a long page nor a batch of writes stops the event loop of the API. */
const options = workerData as IndexOptions;
const port = parentPort;
if (port === null) throw new Error('the thread of the task index runs only as a thread');

const say = (message: FromIndexThread): void => port.postMessage(message);

try {
  serve(createIndexEngine(options));
} catch (error) {
  say({ kind: 'refused', code: codeOf(error), message: messageOf(error) });
}

function serve(engine: IndexEngine): void {
  // The pair of operation and arguments was checked where it was asked.
  const run = (op: IndexOperation, args: readonly unknown[]): unknown => (engine[op] as (...args: readonly unknown[]) => unknown)(...args);
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
