/** A fixed number of places; who finds none waits for one. This is what bounds memory. */
export interface Slots {
  take(): Promise<void>;
  give(): void;
  /** Resolves when every place is free. */
  idle(): Promise<void>;
}

export function createSlots(places: number): Slots {
  let free = places;
  const waiting: (() => void)[] = [];
  let onIdle: (() => void)[] = [];
  return {
    take() {
      if (free > 0) {
        free -= 1;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    give() {
      const next = waiting.shift();
      if (next) return next();
      free += 1;
      if (free === places) {
        for (const resolve of onIdle) resolve();
        onIdle = [];
      }
    },
    idle: () => (free === places ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  };
}
