/**
 * The slots of one queue in this worker. A job that the queue has handed over waits for one; a step of a plan that would run
 * without a job takes one only when nobody waits. So together they are never more than the worker is to run at a time.
 */
export interface Slots {
  /** `undefined`: a slot is the caller's now; else when it is, in the order of asking. */
  take(): Promise<void> | undefined;
  /** Whether a slot is the caller's now. Never before the queue is served, nor once it is being stopped. */
  tryTake(): boolean;
  /** Gives a slot back, each once. */
  give(): void;
  /** Resolves when all slots are free. */
  idle(): Promise<void>;
  /** Steps may take slots from `open` to `close`; jobs always. */
  open(): void;
  close(): void;
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  const watching: (() => void)[] = [];
  let free = count;
  let isOpen = false;
  return {
    take() {
      if (free > 0) {
        free -= 1;
        return undefined;
      }
      return new Promise((resolve) => void waiting.push(resolve));
    },
    tryTake() {
      if (!isOpen || free === 0) return false;
      free -= 1;
      return true;
    },
    give() {
      const next = waiting.shift();
      if (next !== undefined) return next();
      free += 1;
      if (free === count) for (const tell of watching.splice(0)) tell();
    },
    async idle() {
      if (free < count) await new Promise<void>((resolve) => void watching.push(resolve));
    },
    open() {
      isOpen = true;
    },
    close() {
      isOpen = false;
    },
  };
}
