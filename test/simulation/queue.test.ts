import { type Job, Queue, UnrecoverableError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { jobOptions, LOCK_TIMES, QUEUE_PREFIX, workerOptions } from '../../queues/catalog.ts';
import { createRandom, type Random } from '../support/random.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { EPOCH_MS } from './scheduler.ts';
import { QueueTwin, type RetryOptions, type StoredJob } from './twins/queue.ts';

/*
 * The queue of the simulation and BullMQ on a real Redis get the same random commands. Both answer the same, with the same
 * refusals, and have the same jobs in the same order afterwards. Wall clocks are fake; a lock that runs out is taken away.
 */
const SEQUENCES = 12 * inject('caseFactor');
const STEPS = 50;
/** Longer than a test takes: locks run out when the test says so. */
const FOREVER_MS = 600_000;
const IDS = ['a', 'b', 'c', 'd'];

/** What both do; a refusal is its number. */
interface Subject {
  add(id: string, attempts: number): Promise<unknown>;
  take(token: string): Promise<unknown>;
  extend(id: string, token: string): Promise<unknown>;
  complete(id: string, token: string): Promise<unknown>;
  fail(id: string, token: string, recoverable: boolean): Promise<unknown>;
  delay(id: string, token: string, until: number): Promise<unknown>;
  /** The lock's time is over. */
  expire(id: string): Promise<unknown>;
  lookForStalled(): Promise<unknown>;
  promote(id: string): Promise<unknown>;
  retry(id: string, from: 'completed' | 'failed', options: RetryOptions): Promise<unknown>;
  update(id: string, data: string): Promise<unknown>;
  remove(id: string): Promise<unknown>;
  /** All jobs: where they are, in which order, and their counts. */
  jobs(): Promise<unknown>;
}

function codeOf(error: unknown): unknown {
  const code: unknown = Reflect.get(Object(error), 'code');
  if (typeof code !== 'number') throw error;
  return code;
}

const OK = 'ok';

async function refusal(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return OK;
  } catch (error) {
    return codeOf(error);
  }
}

function twin(): Subject {
  const queue = new QueueTwin('queue');
  const now = (): number => Date.now();
  const at = (): number => now() - EPOCH_MS;
  const order = (state: StoredJob['state']): string[] => queue.inOrder(state).map(({ id }) => id);
  return {
    add: async (id, attempts) => queue.add('job', { said: '' }, jobOptions(id, attempts), now()),
    take: async (token) => queue.take(token, FOREVER_MS, now(), at()).job?.id,
    extend: async (id, token) => queue.extend([{ id, token }], FOREVER_MS, at()).length === 0,
    complete: (id, token) => refusal(() => queue.complete(id, token, 'done', at())),
    fail: (id, token, recoverable) => refusal(() => queue.fail(id, token, 'no', recoverable, now(), at())),
    delay: (id, token, until) => refusal(() => queue.delay(id, token, until, now(), at())),
    async expire(id) {
      const job = queue.jobs.get(id);
      if (job !== undefined) job.lock = undefined;
    },
    lookForStalled: async () => [...queue.lookForStalled(0, at())].sort(),
    promote: (id) => refusal(() => queue.promote(id)),
    retry: (id, from, options) => refusal(() => queue.retry(id, from, options)),
    update: (id, data) => refusal(() => queue.update(id, { said: data })),
    remove: async (id) => queue.remove(id, at()),
    jobs: async () => ({
      waiting: order('waiting'),
      active: order('active').sort(),
      delayed: queue.inOrder('delayed').map(({ id, delayedUntil }) => [id, delayedUntil]),
      completed: order('completed').sort(),
      failed: order('failed').sort(),
      counts: IDS.map((id) => {
        const job = queue.jobs.get(id);
        return job && [job.data, job.attemptsMade, job.attemptsStarted, job.stalledCounter, job.failedReason];
      }),
    }),
  };
}

async function real(queue: Queue, worker: Worker, redis: Redis): Promise<Subject> {
  const key = (part: string): string => queue.toKey(part);
  const found = async (id: string): Promise<Job | undefined> => queue.getJob(id);
  /** A job as its worker has it: also one that is gone. */
  const held = new Map<string, Job>();
  const of = (id: string): Job => held.get(id) ?? missingJob();
  const missingJob = (): never => {
    throw new Error('nobody took the job');
  };
  /** What cannot be asked of a job that is not there. */
  const asked = (id: string, ask: (job: Job) => Promise<unknown>): Promise<unknown> =>
    refusal(async () => {
      const job = await found(id);
      if (job === undefined) throw Object.assign(new Error('missing job'), { code: -1 });
      await ask(job);
    });
  return {
    add: async (id, attempts) => (await queue.add('job', { said: '' }, jobOptions(id, attempts))).id,
    async take(token) {
      const job = await worker.getNextJob(token, { block: false });
      if (job?.id !== undefined) held.set(`${job.id} ${token}`, job);
      return job?.id;
    },
    extend: async (id, token) => (await worker.backend.extendLocks([id], [token], FOREVER_MS)).length === 0,
    complete: (id, token) => refusal(() => of(`${id} ${token}`).moveToCompleted('done', token, false)),
    fail: (id, token, recoverable) =>
      refusal(() => of(`${id} ${token}`).moveToFailed(recoverable ? new Error('no') : new UnrecoverableError('no'), token, false)),
    delay: (id, token, until) => refusal(() => of(`${id} ${token}`).moveToDelayed(until, token)),
    expire: (id) => redis.del(key(`${id}:lock`)),
    async lookForStalled() {
      await redis.del(key('stalled-check'));
      return [...(await worker.backend.moveStalledJobsToWait())].sort();
    },
    promote: (id) => asked(id, (job) => job.promote()),
    retry: (id, from, options) => asked(id, (job) => job.retry(from, options)),
    update: (id, data) => asked(id, (job) => job.updateData({ said: data })),
    async remove(id) {
      return (await queue.remove(id)) === 1;
    },
    async jobs() {
      const pairs = await redis.zrange(key('delayed'), '0', '-1', 'WITHSCORES');
      const counts = await Promise.all(
        IDS.map(async (id) => {
          const [data, made, started, stalled, reason] = await redis.hmget(key(id), 'data', 'atm', 'ats', 'stc', 'failedReason');
          return data == null ? undefined : [JSON.parse(data), Number(made), Number(started), Number(stalled), reason ?? ''];
        }),
      );
      return {
        // A worker takes from the end of the list.
        waiting: (await redis.lrange(key('wait'), 0, -1)).reverse(),
        active: (await redis.lrange(key('active'), 0, -1)).sort(),
        delayed: pairs.flatMap((id, place) => (place % 2 === 0 ? [[id, Math.floor(Number(pairs[place + 1]) / 0x1000)]] : [])),
        completed: (await redis.zrange(key('completed'), '0', '-1')).sort(),
        failed: (await redis.zrange(key('failed'), '0', '-1')).sort(),
        counts,
      };
    },
  };
}

interface Command {
  readonly says: string;
  readonly run: (subject: Subject) => Promise<unknown>;
}

/** Draws commands; remembers who took what, so that locks are used by their owners, and by those who have lost them. */
class Chooser {
  readonly #random: Random;
  readonly #taken: { readonly id: string; readonly token: string }[] = [];
  #tokens = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(): Command {
    const random = this.#random;
    const id = random.pick(IDS);
    const kinds: (() => Command)[] = [
      () => this.#add(id),
      () => this.#add(id),
      () => this.#take(),
      () => this.#take(),
      () => this.#take(),
      () => ({ says: `expire ${id}`, run: async (subject) => void (await subject.expire(id)) }),
      () => ({ says: 'look for stalled', run: (subject) => subject.lookForStalled() }),
      () => ({ says: 'look for stalled', run: (subject) => subject.lookForStalled() }),
      () => ({ says: `promote ${id}`, run: (subject) => subject.promote(id) }),
      () => this.#retry(id),
      () => ({ says: `update ${id}`, run: (subject) => subject.update(id, `by ${this.#tokens}`) }),
      () => ({ says: `remove ${id}`, run: (subject) => subject.remove(id) }),
    ];
    const [held] = this.#taken.length === 0 ? [] : [random.pick(this.#taken)];
    if (held !== undefined) kinds.push(...this.#ofOwner(held), ...this.#ofOwner(held));
    return random.pick(kinds)();
  }

  #add(id: string): Command {
    const attempts = this.#random.pick([1, 3]);
    return { says: `add ${id} with ${attempts} attempts`, run: (subject) => subject.add(id, attempts) };
  }

  #take(): Command {
    this.#tokens += 1;
    const token = `token-${this.#tokens}`;
    const taken = this.#taken;
    return {
      says: `take as ${token}`,
      async run(subject) {
        const id = await subject.take(token);
        if (typeof id === 'string' && !taken.some((one) => one.token === token)) taken.push({ id, token });
        return id;
      },
    };
  }

  #retry(id: string): Command {
    const from = this.#random.pick(['completed', 'failed'] as const);
    // Ours of tasks, ours of plans, and the board's.
    const options = this.#random.pick([{ resetAttemptsMade: true, resetAttemptsStarted: true }, { resetAttemptsStarted: true }, {}]);
    return { says: `retry ${id} from ${from} ${JSON.stringify(options)}`, run: (subject) => subject.retry(id, from, options) };
  }

  #ofOwner({ id, token }: { readonly id: string; readonly token: string }): (() => Command)[] {
    const recoverable = this.#random.chance(0.7);
    const by = this.#random.pick([-1_000, 0, 500, 500, 4_000]);
    return [
      () => ({ says: `complete ${id} as ${token}`, run: (subject) => subject.complete(id, token) }),
      () => ({ says: `fail ${id} as ${token}${recoverable ? '' : ' for good'}`, run: (subject) => subject.fail(id, token, recoverable) }),
      () => ({ says: `delay ${id} as ${token} by ${by}`, run: (subject) => subject.delay(id, token, Date.now() + by) }),
      () => ({ says: `extend ${id} as ${token}`, run: (subject) => subject.extend(id, token) }),
    ];
  }
}

describe('the queue of the simulation', () => {
  let server: TestRedis;
  let redis: Redis;
  beforeAll(async () => {
    server = await startTestRedis();
    redis = await server.client('worker');
  });
  afterAll(() => server.stop());
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: EPOCH_MS }));
  afterEach(() => void vi.useRealTimers());

  it('answers as BullMQ does on Redis, whatever is asked in whatever order', async () => {
    const { lockMs, renewMs, stalledMs } = LOCK_TIMES;
    for (let seed = 1; seed <= SEQUENCES; seed += 1) {
      const random = createRandom(seed);
      const queue = new Queue(`q${seed}`, { connection: redis, prefix: QUEUE_PREFIX });
      const options = { ...workerOptions({ lockMs, renewMs, stalledMs }, 1), lockDuration: FOREVER_MS, autorun: false };
      const worker = new Worker(`q${seed}`, null, { ...options, connection: redis });
      await worker.waitUntilReady();
      const [ours, theirs] = [twin(), await real(queue, worker, redis)];
      const chooser = new Chooser(random);
      const said: string[] = [];
      for (let step = 0; step < STEPS; step += 1) {
        vi.setSystemTime(Date.now() + random.pick([0, 1, 300, 1_500]));
        const { says, run } = chooser.next();
        said.push(says);
        const about = `seed ${seed}: ${said.join(', ')}`;
        const wanted = await run(theirs);
        expect(await run(ours), about).toEqual(wanted);
        expect(await ours.jobs(), about).toEqual(await theirs.jobs());
      }
      await worker.close(true);
      await queue.close();
    }
  });
});
