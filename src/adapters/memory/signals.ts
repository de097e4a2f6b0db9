import type { RevocationSignals, TaskSignals } from '../../core/ports/index.ts';

/** The twin of the Redis channels: what the other twins publish, and who listens, in one process. */
export interface MemoryChannels extends TaskSignals, RevocationSignals {
  recorded(taskId: string): void;
  cancelRequested(taskId: string): void;
  published(newest: number): void;
}

export function createMemoryChannels(): MemoryChannels {
  const waiters = new Map<string, Set<() => void>>();
  const cancels = new Set<(taskId: string) => void>();
  const revocations = new Set<(newest: number) => void>();
  return {
    async onRecorded(taskId, listener) {
      const own = (): void => listener();
      const listeners = waiters.get(taskId) ?? new Set();
      waiters.set(taskId, listeners.add(own));
      return async () => {
        listeners.delete(own);
        if (listeners.size === 0 && waiters.get(taskId) === listeners) waiters.delete(taskId);
      };
    },
    onCancel: async (listener) => subscribe(cancels, listener),
    onPublished: async (listener) => subscribe(revocations, listener),
    recorded: (taskId) => later(waiters.get(taskId), undefined),
    cancelRequested: (taskId) => later(cancels, taskId),
    published: (newest) => later(revocations, newest),
  };
}

function subscribe<T>(listeners: Set<(message: T) => void>, listener: (message: T) => void): () => Promise<void> {
  const own = (message: T): void => listener(message);
  listeners.add(own);
  return async () => void listeners.delete(own);
}

/** Like a message over a socket: never inside the publisher's own call. */
function later<T>(listeners: ReadonlySet<(message: T) => void> | undefined, message: T): void {
  for (const listener of listeners ?? []) queueMicrotask(() => listener(message));
}
