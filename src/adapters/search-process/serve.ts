import type { ScanAnswer, ScanRequest } from '../../core/ports/index.ts';
import { dieWithParent } from '../linux/die-with-parent.ts';
import type { FromChild, ToChild } from './messages.ts';

/** The inside of a search process: says that it is ready, answers one request after the other, and ends with its parent. */
export function serveScans(scan: (request: ScanRequest) => Promise<ScanAnswer>): void {
  const send = (message: FromChild): void => void process.send?.(message);
  // A search that never comes back to the event loop does not hear the disconnect.
  dieWithParent();
  process.once('disconnect', () => process.exit(0));
  // It was told of already, while this process was loaded.
  if (!process.connected) process.exit(0);
  process.on('message', (request: ToChild) => void scan(request).then((answer) => send({ type: 'answer', answer })));
  send({ type: 'ready' });
}
