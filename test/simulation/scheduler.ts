import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import type { Clock } from '../../src/core/clock.ts';
import type { Random } from '../support/random.ts';

/** Something that happens at a virtual time, to a process or to the world. */
interface Event {
  readonly at: number;
  readonly order: number;
  readonly process: SimProcess | undefined;
  readonly run: () => void;
}

/** Wall clock at the virtual time 0, milliseconds since 1970. */
export const EPOCH_MS = 1_800_000_000_000;

/**
 * One virtual time and one order for everything that happens. Between two events only microtasks run: whatever the product
 * awaits is answered by a later event, so a seed decides the order of all answers.
 */
export class Scheduler {
  /** Virtual milliseconds since the history began. */
  now = 0;
  /** Whose event is being handled: timers that it sets are this process's. */
  current: SimProcess | undefined;
  events = 0;
  readonly #heap: Event[] = [];
  #order = 0;

  at(delayMs: number, process: SimProcess | undefined, run: () => void): void {
    this.#order += 1;
    push(this.#heap, { at: this.now + Math.max(0, delayMs), order: this.#order, process, run });
  }

  /** Runs until nothing is left, `isOver` says so, or the limits are reached; answers whether `isOver` said so. */
  async run(isOver: () => boolean, limits: { readonly untilMs: number; readonly events: number }): Promise<boolean> {
    for (;;) {
      if (isOver()) return true;
      const [event] = this.#heap;
      // It stays for whoever goes on later.
      if (event === undefined || event.at > limits.untilMs || this.events >= limits.events) return false;
      pop(this.#heap);
      this.events += 1;
      this.now = Math.max(this.now, event.at);
      const { process } = event;
      if (process !== undefined && !process.takes(event.run)) continue;
      this.current = process;
      event.run();
      // The queue of ticks is served after the last microtask: everything that the event has set off has run by then.
      await drained();
    }
  }
}

function drained(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** One simulated process. What it had in memory is gone when it is killed: nothing is delivered to it any more. */
export class SimProcess {
  alive = true;
  /** What its wall clock is wrong by, milliseconds. */
  skewMs = 0;
  readonly name: string;
  /** Whether faults may kill or stop it. */
  readonly mortal: boolean;
  readonly startedAt: number;
  readonly clock: Clock;
  readonly #scheduler: Scheduler;
  #held: (() => void)[] | undefined;

  constructor(name: string, scheduler: Scheduler, { mortal = true } = {}) {
    this.name = name;
    this.mortal = mortal;
    this.startedAt = scheduler.now;
    this.#scheduler = scheduler;
    this.clock = { now: () => Math.floor(EPOCH_MS + scheduler.now + this.skewMs), monotonic: () => scheduler.now };
  }

  get paused(): boolean {
    return this.#held !== undefined;
  }

  /** Whether an event may run now; a stopped process gets it when it goes on. */
  takes(run: () => void): boolean {
    if (!this.alive) return false;
    this.#held?.push(run);
    return this.#held === undefined;
  }

  kill(): void {
    this.alive = false;
    this.#held = undefined;
  }

  pause(): void {
    if (this.alive) this.#held ??= [];
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const run of held) this.#scheduler.at(0, this, run);
  }
}

let isTaken = false;
const realDelay = timersPromises.setTimeout;

/** `setTimeout` of node:timers/promises, on the global timers while time is taken. */
function delay<T>(ms?: number, value?: T, options: Parameters<typeof realDelay>[2] = {}): Promise<T> {
  if (!isTaken) return realDelay(ms, value, options);
  const { signal } = options;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(new Error('The operation was aborted', { cause: signal?.reason }));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value as T);
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

// Once for the process, since the named imports of all modules are written anew for it.
timersPromises.setTimeout = delay;
syncBuiltinESMExports();

/** Real timers and the real wall clock are out of reach while a history runs; answers how they are put back. */
export function takeTime(scheduler: Scheduler): () => void {
  const real = {
    setTimeout: globalThis.setTimeout,
    setInterval: globalThis.setInterval,
    setImmediate: globalThis.setImmediate,
    clearTimeout: globalThis.clearTimeout,
    clearInterval: globalThis.clearInterval,
    clearImmediate: globalThis.clearImmediate,
  };
  const realNow = Date.now;
  const realTimeout = AbortSignal.timeout;
  const timer = (run: (...args: unknown[]) => void, ms: number, everyMs: number | undefined, args: unknown[]): SimTimer => {
    const owner = scheduler.current;
    const handle = new SimTimer();
    const fire = (): void => {
      if (handle.cleared) return;
      if (everyMs !== undefined) scheduler.at(Math.max(1, everyMs), owner, fire);
      run(...args);
    };
    scheduler.at(ms, owner, fire);
    return handle;
  };
  const clear = (handle: unknown): void => {
    if (handle instanceof SimTimer) handle.cleared = true;
  };
  Object.assign(globalThis, {
    setTimeout: (run: () => void, ms = 1, ...args: unknown[]) => timer(run, Math.max(1, ms), undefined, args),
    setInterval: (run: () => void, ms = 1, ...args: unknown[]) => timer(run, Math.max(1, ms), ms, args),
    setImmediate: (run: () => void, ...args: unknown[]) => timer(run, 0, undefined, args),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  });
  AbortSignal.timeout = (ms) => {
    const over = new AbortController();
    timer(() => over.abort(), ms, undefined, []);
    return over.signal;
  };
  isTaken = true;
  Date.now = () => scheduler.current?.clock.now() ?? Math.floor(EPOCH_MS + scheduler.now);
  return () => {
    isTaken = false;
    Object.assign(globalThis, real);
    Date.now = realNow;
    AbortSignal.timeout = realTimeout;
  };
}

class SimTimer {
  cleared = false;
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
}

/** How long something takes, milliseconds: mostly near the middle, sometimes many times that. */
export function latency(random: Random, middleMs: number): number {
  const spread = middleMs * (0.2 + 1.6 * random.number());
  return random.chance(0.02) ? spread * 20 : spread;
}

function before(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Event[], event: Event): void {
  let at = heap.length;
  heap.push(event);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !before(event, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = event;
}

function pop(heap: Event[]): Event | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    const [left, right] = [heap[child], heap[child + 1]];
    if (left === undefined) break;
    if (right !== undefined && before(right, left)) child += 1;
    const least = heap[child];
    if (least === undefined || !before(least, last)) break;
    heap[at] = least;
    at = child;
  }
  heap[at] = last;
  return first;
}
