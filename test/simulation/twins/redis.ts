import type { Queue } from 'bullmq';
import { createMemoryLedger } from '../../../src/adapters/memory/ledger.ts';
import { createMemoryPresence } from '../../../src/adapters/memory/presence.ts';
import { createMemoryRevocations } from '../../../src/adapters/memory/revocations.ts';
import { createMemoryChannels } from '../../../src/adapters/memory/signals.ts';
import type { RedisConnection } from '../../../src/adapters/redis/redis-connection.ts';
import { WritError } from '../../../src/core/errors.ts';
import { EPOCH_MS, type SimProcess } from '../scheduler.ts';
import type { World } from '../world.ts';
import { PlanViewsTwin } from './plan-views.ts';
import { QueueTwin, type RetryOptions, type StoredJob } from './queue.ts';

/** Everything that Redis holds, with the loss of all of it or of what is younger than a moment. */
export class RedisTwin {
  readonly channels = createMemoryChannels();
  readonly ledger;
  /** A claim that nobody made. */
  readonly forge;
  readonly presence;
  readonly feed;
  readonly views = new PlanViewsTwin(this.channels);
  readonly queues = new Map<string, QueueTwin>();
  /** What the published log answers while somebody has damaged it. */
  damaged = false;
  /** How often its data was lost. */
  losses = 0;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    const clock = { now: () => EPOCH_MS + world.now, monotonic: () => world.now };
    this.ledger = createMemoryLedger({ retentionMs: 86_400_000, clock, channels: this.channels });
    this.forge = this.ledger.claim;
    this.presence = createMemoryPresence(clock);
    const feed = createMemoryRevocations(this.channels);
    const intact = <T>(value: T): T => {
      if (this.damaged) throw new WritError('STORAGE_UNAVAILABLE', 'the published revocation log is damaged: it is no list');
      return value;
    };
    this.feed = { ...feed, head: async () => intact(await feed.head()), read: async (from: number) => intact(await feed.read(from)) };
  }

  queue(name: string): QueueTwin {
    const known = this.queues.get(name) ?? new QueueTwin(name);
    this.queues.set(name, known);
    return known;
  }

  save(): () => void {
    const restores = [this.ledger.save(), this.feed.save(), this.views.save(), ...[...this.queues.values()].map((queue) => queue.save())];
    return () => {
      this.losses += 1;
      for (const restore of restores) restore();
    };
  }

  /** Like FLUSHALL. */
  lose(): void {
    this.losses += 1;
    this.ledger.lose();
    this.feed.lose();
    this.views.rows.clear();
    for (const queue of this.queues.values()) queue.jobs.clear();
  }

  /** The connection behind the queues, as far as jobs are weighed on it before they are fetched. */
  connectionFor(process: SimProcess): RedisConnection {
    // The script of `queues/job-weight.ts`.
    const writJobWeight = (_keys: number, key: string, ...fields: readonly string[]): Promise<readonly number[]> =>
      this.#world.call(process, { to: 'redis', what: `queue.weigh ${key}`, effect: () => this.#weigh(key, fields) });
    const exists = (key: string): Promise<number> =>
      this.#world.call(process, { to: 'redis', what: `queue.exists ${key}`, effect: () => Number(this.#jobAt(key) !== undefined) });
    return { writJobWeight, exists } as unknown as RedisConnection;
  }

  #weigh(key: string, fields: readonly string[]): readonly number[] {
    const job = this.#jobAt(key);
    return job === undefined ? [] : fields.map((field) => (field === 'data' ? JSON.stringify(job.data).length : 1));
  }

  #jobAt(key: string): StoredJob | undefined {
    const [queue = '', jobId = ''] = key.split(':');
    return this.queue(queue).jobs.get(jobId);
  }

  /** BullMQ's queue as our producers use it. */
  queueFor(process: SimProcess, name: string): Queue<unknown> {
    const queue = this.queue(name);
    const ask = <T>(what: string, effect: () => T): Promise<T> => this.#world.call(process, { to: 'redis', what: `queue.${what}`, effect });
    const jobOf = (id: string): object => ({
      ...queue.jobs.get(id),
      getState: () => ask(`getState ${id}`, () => queue.jobs.get(id)?.state ?? 'unknown'),
      updateData: (data: unknown) => ask(`update ${id}`, () => queue.update(id, data)),
      retry: (state: 'completed' | 'failed', options?: RetryOptions) => ask(`retry ${id}`, () => queue.retry(id, state, options)),
      remove: () => ask(`remove ${id}`, () => void queue.remove(id, this.#world.now)),
    });
    const twin = {
      toKey: (id: string) => `${name}:${id}`,
      getJob: (id: string) => ask(`getJob ${id}`, () => (queue.jobs.has(id) ? jobOf(id) : undefined)),
      add: (job: string, data: unknown, opts: { jobId?: string; attempts?: number }) =>
        ask(`add ${opts.jobId}`, () => queue.add(job, data, opts, process.clock.now())),
      // Nobody pauses a queue here.
      isPaused: () => ask('isPaused', () => false),
      close: async () => undefined,
    };
    return twin as unknown as Queue<unknown>;
  }
}
