import { messageOf, WritError } from '../../../core/errors.ts';
import { startThread } from '../../threads/thread-entry.ts';
import type { CopyEnd } from './copy-loop.ts';
import type { CopyReply, CopyRequest } from './copy-messages.ts';

export interface CopyJob {
  readonly source: number;
  readonly target: number;
  readonly chunkBytes: number;
  readonly hash: boolean;
}

/** The main thread's side of one copy thread. */
export interface CopyThread {
  /** Copies under way. */
  readonly load: number;
  /** Resolves when the thread has let go of both descriptors. Rejects with WritError INTERNAL when the thread dies. */
  copy(job: CopyJob, signal: AbortSignal | undefined, onBytes: (total: number) => void): Promise<CopyEnd>;
}

interface Pending {
  readonly resolve: (end: CopyEnd) => void;
  readonly reject: (error: Error) => void;
  readonly onBytes: (total: number) => void;
}

export function startCopyThread({ onEnd }: { readonly onEnd: () => void }): CopyThread {
  const worker = startThread(import.meta.url, './copy-thread');
  const pending = new Map<number, Pending>();
  let lastId = 0;
  worker.unref();

  const send = (request: CopyRequest): void => worker.postMessage(request);
  const die = (why: string): void => {
    onEnd();
    for (const { reject } of pending.values()) reject(new WritError('INTERNAL', `the copy thread ended: ${why}`));
    pending.clear();
  };
  worker.on('message', (reply: CopyReply) => {
    const copy = pending.get(reply.id);
    if (reply.kind === 'bytes') copy?.onBytes(reply.total);
    else copy?.resolve(reply.end);
  });
  worker.on('error', (error) => die(messageOf(error)));
  worker.on('exit', (code) => die(`exit code ${code}`));

  return {
    get load() {
      return pending.size;
    },
    async copy(job, signal, onBytes) {
      const id = ++lastId;
      const abort = (): void => send({ kind: 'abort', id });
      if (pending.size === 0) worker.ref();
      try {
        return await new Promise<CopyEnd>((resolve, reject) => {
          pending.set(id, { resolve, reject, onBytes });
          signal?.addEventListener('abort', abort, { once: true });
          send({ kind: 'copy', id, ...job });
        });
      } finally {
        signal?.removeEventListener('abort', abort);
        pending.delete(id);
        if (pending.size === 0) worker.unref();
      }
    },
  };
}
