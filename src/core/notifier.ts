/** Wakes everybody who waits for the next change. */
export interface Notifier {
  /** Resolves at the next `wake`, or when the signal fires. */
  next(signal: AbortSignal): Promise<void>;
  wake(): void;
}

export function createNotifier(): Notifier {
  const sleepers = new Set<() => void>();
  return {
    next: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const rise = (): void => {
          sleepers.delete(rise);
          signal.removeEventListener('abort', rise);
          resolve();
        };
        sleepers.add(rise);
        signal.addEventListener('abort', rise, { once: true });
      }),
    wake() {
      for (const rise of [...sleepers]) rise();
    },
  };
}
