import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../../core/errors.ts';
import { createWriteEngine, type WriteEngine } from './engine.ts';
import type { FromWriter, ToWriter, WriterThreadData } from './thread-messages.ts';

/** A transaction of a thousand messages takes a tenth of a second, a rebuild minutes: no event loop may wait for that. */
const { file } = workerData as WriterThreadData;
const port = parentPort;
if (port === null) throw new Error('the writer of messages runs only as a thread');

const say = (message: FromWriter): void => port.postMessage(message);

try {
  serve(createWriteEngine(file, (documents) => say({ kind: 'rebuilding', documents })));
} catch (error) {
  say({ kind: 'failed', message: messageOf(error) });
}

function serve(engine: WriteEngine): void {
  port?.on('message', (message: ToWriter) => {
    if (message.kind === 'stop') {
      engine.close();
      port.close();
      return;
    }
    try {
      say({ kind: 'applied', applied: engine.apply(message.batches) });
    } catch (error) {
      say({ kind: 'failed', message: messageOf(error) });
    }
  });
  say({ kind: 'ready' });
}
