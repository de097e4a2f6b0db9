import type { Job, Worker } from 'bullmq';
import type { OpenWorker } from '../../../processors/queue-worker.ts';
import { LOCK_TIMES } from '../../../queues/catalog.ts';
import { boundJob } from '../../../queues/job-bounds.ts';
import type { TolerantWorkerOptions } from '../../../queues/tolerant-worker.ts';
import { MAX_JOB_BYTES } from '../../../src/contracts/index.ts';
import { EPOCH_MS, type SimProcess } from '../scheduler.ts';
import type { World } from '../world.ts';
import type { QueueTwin, StoredJob } from './queue.ts';

/** How long a worker waits for a job before it asks again, and after an error, milliseconds: BullMQ's own. */
const BLOCK_MS = 5_000;
const AFTER_ERROR_MS = 1_000;
/** As `queues/tolerant-worker.ts`, which looks as often as for stalled jobs. */
const LOOK_MS = LOCK_TIMES.stalledMs;

/** What of BullMQ's worker is relied on: fetch, lock, renewal, look for stalled jobs, finish, events. */
export function openWorkerTwin(world: World, process: SimProcess, queueOf: (name: string) => QueueTwin, looksForLate = true): OpenWorker {
  return (name, handle, options) => new WorkerTwin(world, process, queueOf(name), handle, options, looksForLate) as unknown as Worker;
}

/** What `queues/tolerant-worker.ts` does before a job is parsed: data that is too large is replaced, in the queue too. */
function bound(job: StoredJob, { maxDataChars = MAX_JOB_BYTES }: TolerantWorkerOptions): void {
  const small = boundJob(['data', JSON.stringify(job.data)], maxDataChars).changed.get('data');
  if (small !== undefined) job.data = JSON.parse(small);
}

class WorkerTwin {
  readonly #world: World;
  readonly #process: SimProcess;
  readonly #queue: QueueTwin;
  readonly #handle: (job: Job, token?: string) => Promise<unknown>;
  readonly #options: TolerantWorkerOptions;
  readonly #looksForLate: boolean;
  readonly #listeners = new Map<string, ((...args: unknown[]) => void)[]>();
  /** The locks that it holds, by job id. */
  readonly #locks = new Map<string, string>();
  readonly #slots: Promise<void>[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #sleepers = new Set<() => void>();
  #tokens = 0;
  /** How often a job could be taken: BullMQ's marker, which stays until somebody has looked. */
  #markers = 0;
  #closing = false;
  #closed = false;
  #renewal: NodeJS.Timeout | undefined;
  /** Jobs in hand and requests for one: together at most `#limit`. */
  #busy = 0;
  #limit: number;

  constructor(
    world: World,
    process: SimProcess,
    queue: QueueTwin,
    handle: (job: Job, token?: string) => Promise<unknown>,
    options: TolerantWorkerOptions,
    looksForLate: boolean,
  ) {
    this.#world = world;
    this.#process = process;
    this.#queue = queue;
    this.#handle = handle;
    this.#options = options;
    this.#looksForLate = looksForLate;
    this.#limit = options.concurrency ?? 1;
  }

  /** Takes effect when the next job is asked for. */
  set concurrency(limit: number) {
    if (limit < 1) throw new Error('concurrency must be a finite number greater than 0');
    this.#limit = limit;
    this.#wake();
  }

  on(event: string, listener: (...args: unknown[]) => void): this {
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
    return this;
  }

  async waitUntilReady(): Promise<void> {
    const { lockRenewTime = 1, stalledInterval = 1, concurrency = 1 } = this.#options;
    const waiting = this.#queue.onWaiting;
    this.#queue.onWaiting = () => {
      waiting();
      this.#markers += 1;
      // Like an answer to BZPOPMIN.
      this.#world.scheduler.at(0.2, this.#process, () => this.#wake());
    };
    for (let slot = 0; slot < concurrency; slot += 1) this.#slots.push(this.#serve());
    this.#renewLater(lockRenewTime / 2);
    this.#timers.push(setInterval(() => void this.#lookForStalled(), stalledInterval));
    if (this.#looksForLate) this.#timers.push(setInterval(() => void this.#lookForLate(), LOOK_MS));
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#wake();
    await Promise.all(this.#slots);
    this.#closed = true;
    clearTimeout(this.#renewal);
    for (const timer of this.#timers) clearInterval(timer);
  }

  #redis<T>(what: string, effect: () => T): Promise<T> {
    return this.#world.call(this.#process, { to: 'redis', what: `queue.${what}`, effect });
  }

  #emit(event: string, ...args: unknown[]): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(...args);
  }

  async #serve(): Promise<void> {
    while (!this.#closing) {
      if (this.#busy >= this.#limit) {
        await this.#sleep(BLOCK_MS);
        continue;
      }
      this.#busy += 1;
      try {
        const job = await this.#next();
        if (job !== undefined) await this.#run(job.stored, job.token);
      } catch (error) {
        this.#emit('error', error);
        await this.#sleep(AFTER_ERROR_MS);
      } finally {
        this.#busy -= 1;
        if (this.#busy < this.#limit && this.#limit < this.#slots.length) this.#wake();
      }
    }
  }

  async #next(): Promise<{ readonly stored: StoredJob; readonly token: string } | undefined> {
    this.#tokens += 1;
    const token = `${this.#process.name}:${this.#tokens}`;
    const { lockDuration = 0 } = this.#options;
    const now = this.#process.clock.now();
    const { job, nextAt, markers } = await this.#redis('take', () => {
      const taken = this.#queue.take(token, lockDuration, now, this.#world.now);
      if (taken.job !== undefined) bound(taken.job, this.#options);
      return { ...taken, job: taken.job && { ...taken.job }, markers: this.#markers };
    });
    if (job !== undefined) return { stored: job, token };
    if (markers !== this.#markers) return undefined;
    await this.#sleep(nextAt === undefined ? BLOCK_MS : Math.min(BLOCK_MS, Math.max(1, nextAt - this.#process.clock.now())));
    return undefined;
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const awake = (): void => {
        clearTimeout(timer);
        this.#sleepers.delete(awake);
        resolve();
      };
      const timer = setTimeout(awake, ms);
      this.#sleepers.add(awake);
    });
  }

  #wake(): void {
    for (const awake of [...this.#sleepers]) awake();
  }

  async #run(stored: StoredJob, token: string): Promise<void> {
    const { id } = stored;
    this.#locks.set(id, token);
    try {
      const value = await this.#handle(this.#jobOf(stored, token), token);
      await this.#redis(`complete ${id}`, () => this.#queue.complete(id, token, value, this.#world.now));
    } catch (error) {
      await this.#failed(stored, token, error);
    } finally {
      this.#locks.delete(id);
    }
  }

  async #failed({ id }: StoredJob, token: string, error: unknown): Promise<void> {
    if (!(error instanceof Error) || error.name === 'DelayedError' || 'code' in error) {
      if (error instanceof Error && 'code' in error) this.#emit('error', error);
      return;
    }
    const recoverable = error.name !== 'UnrecoverableError';
    const now = this.#process.clock.now();
    const end = await this.#redis(`fail ${id}: ${error.message}`, () => this.#queue.fail(id, token, error.message, recoverable, now, this.#world.now));
    if (end === 'failed') this.#emit('failed', { id }, error);
  }

  #jobOf(stored: StoredJob, token: string): Job {
    const moveToDelayed = (until: number): Promise<void> => {
      const now = this.#process.clock.now();
      return this.#redis(`delay ${stored.id} by ${Math.round(until - now)} ms`, () => this.#queue.delay(stored.id, token, until, now, this.#world.now));
    };
    return { ...stored, moveToDelayed } as unknown as Job;
  }

  /** One renewal after the other, as BullMQ does it. */
  #renewLater(afterMs: number): void {
    if (this.#closed) return;
    this.#renewal = setTimeout(() => void this.#renew().then(() => this.#renewLater(afterMs)), afterMs);
  }

  async #renew(): Promise<void> {
    const locks = [...this.#locks].map(([id, token]) => ({ id, token }));
    if (locks.length === 0) return;
    const { lockDuration = 0, onRenewing } = this.#options;
    onRenewing?.(locks.map(({ id }) => id));
    try {
      const lost = await this.#redis('renew', () => this.#queue.extend(locks, lockDuration, this.#world.now));
      const kept = locks.map(({ id }) => id).filter((id) => !lost.includes(id));
      if (kept.length > 0) this.#emit('locksRenewed', { jobIds: kept, count: kept.length });
      if (lost.length > 0) this.#emit('lockRenewalFailed', lost);
    } catch (error) {
      this.#emit('error', error);
    }
  }

  async #lookForLate(): Promise<void> {
    try {
      await this.#redis('look for late', () => this.#queue.promoteLate(EPOCH_MS + this.#world.now));
    } catch (error) {
      this.#emit('error', error);
    }
  }

  async #lookForStalled(): Promise<void> {
    const { stalledInterval = 0 } = this.#options;
    try {
      const stalled = await this.#redis('look for stalled', () => this.#queue.lookForStalled(stalledInterval, this.#world.now));
      for (const id of stalled) this.#emit('stalled', id, 'active');
    } catch (error) {
      this.#emit('error', error);
    }
  }
}
