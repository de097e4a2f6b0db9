import { parentPort } from 'node:worker_threads';
import { libc } from '../libc.ts';
import { copyBytes } from './copy-loop.ts';
import type { CopyReply, CopyRequest } from './copy-messages.ts';

/** The thread of `copier.ts`: several copies may run in it, each hashing in turn. */
const port = parentPort;
if (port === null) throw new Error('copy-thread runs in a worker thread only');

/** Copies under way, and whether each was told to stop. */
const running = new Map<number, { aborted: boolean }>();
const answer = (reply: CopyReply): void => port.postMessage(reply);

async function copy({ id, source, target, chunkBytes, hash }: Extract<CopyRequest, { kind: 'copy' }>): Promise<void> {
  const state = { aborted: false };
  running.set(id, state);
  const end = await copyBytes(libc(), source, target, {
    chunkBytes,
    hash,
    aborted: () => state.aborted,
    onBytes: (total) => answer({ kind: 'bytes', id, total }),
  });
  running.delete(id);
  answer({ kind: 'end', id, end });
}

function abort(id: number): void {
  const state = running.get(id);
  if (state !== undefined) state.aborted = true;
}

// A rejection is a crash: it becomes the thread's `error` event and ends the thread.
port.on('message', (request: CopyRequest) => (request.kind === 'copy' ? void copy(request) : abort(request.id)));
