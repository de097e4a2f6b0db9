/**
 * The slots of one queue in this worker, for its jobs and for steps of plans that run without a job; together they are never more
 * than the worker is to run at a time. A step leaves at least one slot to the jobs, and the worker fetches only as many jobs as then
 * have a slot: a job is never held here by a slow step while another worker is idle.
 */
export interface Slots {
  /** `undefined`: a slot is the caller's now; else when it is, in the order of asking. */
  take(): Promise<void> | undefined;
  /** Gives a job's slot back, each once. */
  give(): void;
  /** Whether a slot is the step's now. Never the last one, before the queue is served, or once it is being stopped. */
  tryTake(): boolean;
  /** Gives a step's slot back, each once. */
  giveBack(): void;
  /** Resolves when all slots are free. */
  idle(): Promise<void>;
  /** Steps may take slots from `open` to `close`; jobs always. `onSteps` is told how many slots steps hold, whenever that changes. */
  open(onSteps?: (held: number) => void): void;
  close(): void;
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  const watching: (() => void)[] = [];
  let free = count;
  let steps = 0;
  let isOpen = false;
  let told: (held: number) => void = () => undefined;

  function give(): void {
    const next = waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    free += 1;
    if (free === count) for (const tell of watching.splice(0)) tell();
  }

  function hold(change: 1 | -1): void {
    steps += change;
    told(steps);
  }

  return {
    take() {
      if (free > 0) {
        free -= 1;
        return undefined;
      }
      return new Promise((resolve) => void waiting.push(resolve));
    },
    give,
    tryTake() {
      if (!isOpen || free < 2) return false;
      free -= 1;
      hold(1);
      return true;
    },
    giveBack() {
      hold(-1);
      give();
    },
    async idle() {
      if (free < count) await new Promise<void>((resolve) => void watching.push(resolve));
    },
    open(onSteps = () => undefined) {
      isOpen = true;
      told = onSteps;
    },
    close() {
      isOpen = false;
      told = () => undefined;
    },
  };
}
