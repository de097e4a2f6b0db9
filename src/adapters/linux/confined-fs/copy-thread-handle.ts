import { messageOf, WritError } from '../../../core/errors.ts';
import { createThreadClient } from '../../threads/client.ts';
import { startThread } from '../../threads/thread-entry.ts';
import type { CopyEnd } from './copy-loop.ts';
import type { CopyCalls, CopyJob, CopyProgress } from './copy-messages.ts';

/** The main thread's side of one copy thread. It starts with the first copy, and again with the next one after it has died. */
export interface CopyThread {
  /** Copies under way. */
  readonly load: number;
  /** Resolves when the thread has let go of both descriptors. Rejects with WritError INTERNAL when the thread dies. */
  copy(job: CopyJob, signal: AbortSignal | undefined, onBytes: (total: number) => void): Promise<CopyEnd>;
}

export function createCopyThread(): CopyThread {
  const copies = new Map<number, (total: number) => void>();
  let lastId = 0;
  const thread = createThreadClient<CopyCalls, CopyProgress>({
    launch: () => startThread(import.meta.url, './copy-thread'),
    launchedBy: 'calls',
    code: 'INTERNAL',
    died: (cause, exitCode) => new WritError('INTERNAL', `the copy thread ended: ${cause === undefined ? `exit code ${exitCode}` : messageOf(cause)}`),
    onEvent: ({ id, total }) => copies.get(id)?.(total),
    keepsAlive: 'calls',
  });

  return {
    get load() {
      return copies.size;
    },
    async copy(job, signal, onBytes) {
      const id = ++lastId;
      const abort = (): void => void thread.call('abort', id).catch(() => undefined);
      copies.set(id, onBytes);
      signal?.addEventListener('abort', abort, { once: true });
      try {
        return await thread.call('copy', id, job);
      } finally {
        signal?.removeEventListener('abort', abort);
        copies.delete(id);
      }
    },
  };
}
