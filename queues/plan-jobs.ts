import type { Queue } from 'bullmq';
import { howManyThere, type RedisConnection, replies } from '../src/adapters/redis/redis-connection.ts';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import type { Replicated } from '../src/adapters/redis/replicated.ts';
import { WritError } from '../src/core/errors.ts';
import type { JsonObject } from '../src/core/json.ts';
import { jobOptions, queueName } from './catalog.ts';
import { type FoundJob, findJob } from './job-lookup.ts';
import { promoteJob, SCORES_PER_MS } from './late-jobs.ts';
import { openQueue } from './open-queue.ts';
import type { When } from './push.ts';
import { rerunJob } from './push-table.ts';
import { ONE_SHARD, type QueueShards } from './shards.ts';
import { type WishFigures, wishOf } from './wish.ts';

/** The data of a plan's job (contracts/plan-job.schema.json). */
export interface PlanJobData {
  readonly v: 1;
  /** The linked envelope. */
  readonly envelope: JsonObject;
  readonly lease: string;
  readonly traceparent?: string;
}

/** A plan's job id; its hash alone would do, and says less to whoever reads Redis. */
export function planJobId(planId: string): string {
  return `p_${planId}`;
}

const PLAN_JOB = /^p_([0-9a-f]{64})$/;

/** When a plan's job may be taken; and its time of adding, milliseconds since 1970, where it is not now: the same time is the same ask (`wish.ts`). */
export interface PlanJobWhen extends When {
  readonly askedAt?: number;
}

/** The jobs of the plan queue of a pool. `close` leaves the connection open. */
export interface PlanJobs {
  readonly queue: string;
  find(planId: string): Promise<FoundJob | undefined>;
  /** Whether each plan has a job, in their order. */
  exists(planIds: readonly string[]): Promise<readonly boolean[]>;
  /** Whether the job of each plan has failed, in their order. */
  failed(planIds: readonly string[]): Promise<readonly boolean[]>;
  /** How many jobs of plans are delayed, those left out that begin later than in an hour. */
  parked(): Promise<number>;
  /** Plans whose job waits, is parked or runs, the newest first; at most so many of each place. */
  open(most: number): Promise<readonly string[]>;
  /** Does nothing when the job exists. */
  add(planId: string, data: PlanJobData, when?: PlanJobWhen): Promise<void>;
  /**
   * Puts a plan's job back when nobody asks: adds it, or runs it again with this data when it has ended; nothing happens to one that
   * waits or runs. `mayRun` is told the wish that the job will have (`wish.ts`) before that, and may refuse.
   */
  run(planId: string, data: PlanJobData, mayRun: (wish: string) => Promise<boolean>): Promise<void>;
  /** Ends the parking of a plan's job; nothing happens to one that is not parked. */
  promote(planId: string): Promise<void>;
  close(): Promise<void>;
}

export interface PlanJobsOptions {
  readonly connection: RedisConnection;
  readonly pool: string;
  readonly shards?: QueueShards;
  /** Waits for replicas before a push is acknowledged. */
  readonly replicated?: Replicated | undefined;
}

/** Each round needs another writer to change the same job in between. */
const MAX_ROUNDS = 8;
/** No plan is parked for longer; one that is pushed for later may be. */
const PARKED_MS = 3_600_000;

export function createPlanJobs({ connection, pool, shards = ONE_SHARD, replicated }: PlanJobsOptions): PlanJobs {
  const name = queueName('plan', pool);
  const queues = new Map(shards.all.map((prefix) => [prefix, openQueue(name, prefix, connection)]));
  /** The queues that may hold a plan's job, its home first. */
  const queuesOf = (planId: string): readonly Queue<unknown>[] => shards.prefixesOf(planId).flatMap((prefix) => queues.get(prefix) ?? []);
  const find = async (planId: string): Promise<(FoundJob & { readonly prefix: string }) | undefined> => {
    for (const prefix of shards.prefixesOf(planId)) {
      const queue = queues.get(prefix);
      const found = queue && (await findJob(queue, connection, planJobId(planId)));
      if (found) return { ...found, prefix };
    }
    return undefined;
  };
  const add = async (planId: string, data: PlanJobData, { askedAt, ...when }: PlanJobWhen = {}): Promise<void> => {
    const options = { ...jobOptions(planJobId(planId), 1, when), ...(askedAt === undefined ? {} : { timestamp: askedAt }) };
    await queuesOf(planId)[0]?.add('plan', data, options);
    await replicated?.([shards.home(planId)]);
  };
  return {
    queue: name,
    find: (planId) => redisCall(() => find(planId)),
    exists: (planIds) =>
      redisCall(async () => {
        // Of most plans the job lies where it was put, and one answer says so for all of them.
        const homes = planIds.map((id) => `${shards.home(id)}:${name}:${planJobId(id)}`);
        if ((await howManyThere(connection, homes)) === planIds.length) return planIds.map(() => true);
        const lookups = planIds.flatMap((id) => queuesOf(id).map((queue) => ['exists', queue.toKey(planJobId(id))] as const));
        const answers = await replies(connection, lookups);
        return planIds.map((_, at) => answers.slice(at * queues.size, (at + 1) * queues.size).includes(1));
      }),
    failed: (planIds) =>
      redisCall(async () => {
        const scores = await Promise.all([...queues.values()].map((queue) => connection.zmscore(queue.toKey('failed'), planIds.map(planJobId))));
        return planIds.map((_, at) => scores.some((ofShard) => typeof ofShard[at] === 'string'));
      }),
    parked: () =>
      redisCall(async () => {
        const soon = (Date.now() + PARKED_MS) * SCORES_PER_MS;
        const counts = await Promise.all([...queues.values()].map((queue) => connection.zcount(queue.toKey('delayed'), '-inf', soon)));
        return counts.reduce((sum, count) => sum + count, 0);
      }),
    open: (most) =>
      redisCall(async () => {
        const looks = [...queues.values()].flatMap((queue) => [
          ...['active', 'wait', 'paused'].map((list) => ['lrange', queue.toKey(list), 0, most - 1] as const),
          ...['prioritized', 'delayed'].map((set) => ['zrevrange', queue.toKey(set), 0, most - 1] as const),
        ]);
        const answers = await replies(connection, looks);
        const ids = answers.flatMap((reply) => (Array.isArray(reply) ? reply.map(String) : []));
        return [...new Set(ids.flatMap((jobId) => PLAN_JOB.exec(jobId)?.[1] ?? []))];
      }),
    add: (planId, data, when) => redisCall(() => add(planId, data, when)),
    run: (planId, data, mayRun) =>
      redisCall(async () => {
        const wish = (prefix: string, figures: Pick<WishFigures, 'addedAt' | 'ends' | 'failures'>): string =>
          wishOf({ prefix, queue: name, jobId: planJobId(planId), ...figures });
        for (let round = 0; round < MAX_ROUNDS; round += 1) {
          const found = await find(planId);
          if (found === undefined) {
            const now = Date.now();
            if (await mayRun(wish(shards.home(planId), { addedAt: now, ends: 0, failures: 0 }))) await add(planId, data, { askedAt: now });
            return;
          }
          const { job, state, prefix } = found;
          if (state === 'waiting' || state === 'active' || state === 'delayed') return;
          if (state === 'absent' || found.unreadable) await job.remove();
          else {
            const figures = { addedAt: job.timestamp, ends: job.attemptsMade, failures: job.stacktrace?.length ?? 0 };
            if (!(await mayRun(wish(prefix, figures))) || (await rerunJob(found, data, 'kept'))) return;
          }
        }
        throw new WritError('WRONG_STATE', `the job of plan ${planId} keeps changing`);
      }),
    async promote(planId) {
      await redisCall(() => Promise.all(queuesOf(planId).map((queue) => promoteJob(queue, planJobId(planId)))));
    },
    close: async () => void (await Promise.all([...queues.values()].map((queue) => queue.close()))),
  };
}
