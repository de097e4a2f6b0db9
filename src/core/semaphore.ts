/** A counting semaphore: so many may hold it at the same time, the others wait in the order in which they came. */
export interface Semaphore {
  /** Resolves when it is held; whoever holds it releases it, once. */
  acquire(): Promise<void>;
  release(): void;
  /** Resolves when nobody holds it. */
  idle(): Promise<void>;
}

export function createSemaphore(permits: number): Semaphore {
  let free = permits;
  const waiting: (() => void)[] = [];
  let onIdle: (() => void)[] = [];
  return {
    acquire() {
      if (free > 0) {
        free -= 1;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    release() {
      const next = waiting.shift();
      if (next) return next();
      free += 1;
      if (free === permits) {
        for (const resolve of onIdle) resolve();
        onIdle = [];
      }
    },
    idle: () => (free === permits ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  };
}
