import type { Queue } from 'bullmq';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import { callTogether, type TogetherOptions } from '../src/adapters/redis/together.ts';
import { MAX_JOB_BYTES, TaskJob } from '../src/contracts/index.ts';
import { isWritError, WritError } from '../src/core/errors.ts';
import { manifestSha256 } from '../src/core/hash.ts';
import type { Enqueue, JobView, PushOptions, Receipt } from '../src/core/ports/index.ts';
import { jobAdder } from './add-jobs.ts';
import { queueOfJob } from './audience.ts';
import { isQueueName, MAX_ATTEMPTS, taskQueues } from './catalog.ts';
import { jobIdOf } from './job-id.ts';
import { type FoundJob, findJob } from './job-lookup.ts';
import { openQueue } from './open-queue.ts';
import { type EnqueueDeps, type Push, type PushContext, type ShardQueue, whenOf } from './push.ts';
import { pushMany, pushOne } from './push-table.ts';
import { rerunKnown } from './rerun-known.ts';
import { type FindJob, type Moves, type PlacedJob, retryFound } from './retry-found.ts';
import { ONE_SHARD, placeOfJob, type QueueShards, shardedName } from './shards.ts';

/** The Enqueue port on BullMQ. `close` leaves the connection open. */
export function createEnqueue(deps: EnqueueDeps): Enqueue & { close(): Promise<void> } {
  const { pool, shards = ONE_SHARD, replicated } = deps;
  const queues = new Map<string, Queue<unknown>>();
  const queue = ({ prefix, queueName }: ShardQueue): Queue<unknown> => {
    const key = `${prefix}:${queueName}`;
    const known = queues.get(key) ?? (deps.open ?? openQueue)(queueName, prefix, deps.connection);
    queues.set(key, known);
    return known;
  };
  const prepare = (job: TaskJob, options: PushOptions): Push => preparePush(job, options, { pool, shards, now: deps.clock.now() });
  const acknowledge = async <R extends Receipt | readonly Receipt[]>(pushes: readonly Push[], receipts: R): Promise<R> => {
    await replicated?.([...new Set(pushes.map(({ prefix }) => prefix))]);
    return receipts;
  };
  const context: PushContext = { ...deps, queue, addJobs: jobAdder(deps.connection) };
  const pushOnes = async (pushes: readonly Push[]): Promise<readonly Receipt[]> => {
    const [only, ...others] = pushes;
    const receipts = only !== undefined && others.length === 0 ? [await pushOne(only, context)] : await pushMany(pushes, context);
    return acknowledge(pushes, receipts);
  };
  const pushTogether = callTogether<Push, Receipt>(TOGETHER, (pushes) => redisCall(() => pushOnes(pushes)));

  const find: FindJob = async (taskId, name, jobId = jobIdOf(taskId)) => {
    const names = name === undefined ? taskQueues(pool, deps.providers) : [checkedName(name)];
    for (const prefix of shards.prefixesOf(taskId)) {
      for (const queueName of names) {
        const found = await findJob(queue({ prefix, queueName }), deps.connection, jobId);
        if (found && (jobId === jobIdOf(taskId) || carries(found, taskId))) return { ...found, queueName, prefix };
      }
    }
    return name === undefined ? findLastClaimer(taskId, names) : undefined;
  };

  /** A raw producer's job has an id of its own: the row of its task names it. */
  const findLastClaimer = async (taskId: string, names: readonly string[]): Promise<PlacedJob | undefined> => {
    const row = await deps.ledger.row(taskId);
    if (row === undefined || row.jobKey === '') return undefined;
    const { prefix, queue: queueName, jobId } = placeOfJob(row.jobKey);
    if (!shards.all.includes(prefix) || !names.includes(queueName) || jobId === jobIdOf(taskId)) return undefined;
    const found = await findJob(queue({ prefix, queueName }), deps.connection, jobId);
    return found && carries(found, taskId) ? { ...found, queueName, prefix } : undefined;
  };

  const moves: Moves = {
    queueOf: (job) => queueOfJob(job, pool),
    push: (job, options) => pushOne(prepare(job, options), context),
  };

  return {
    push: (job, options = {}) =>
      redisCall(async () => {
        const push = prepare(job, options);
        if (deps.together) return pushTogether(push);
        return acknowledge([push], await pushOne(push, context));
      }),
    pushMany: (jobs, options = {}) =>
      redisCall(async () => {
        const pushes = jobs.map((job) => prepare(job, options));
        return acknowledge(pushes, await pushMany(pushes, context));
      }),
    retry: (taskId, options = {}) =>
      redisCall(async () => {
        const { queue: name, jobId, lease } = options;
        const isOurs = name !== undefined && jobId === jobIdOf(taskId) && lease === undefined;
        const home = isOurs ? queue({ prefix: shards.home(taskId), queueName: checkedName(name) }) : undefined;
        const forget = () => deps.ledger.clearCancel(taskId, deps.clock.now());
        if (home && (await rerunKnown(home, deps.connection, jobId ?? '', forget))) return { kind: 'retried' };
        return retryFound(taskId, options, find, { ...deps, ...moves });
      }),
    jobState: (taskId, name, jobId) => redisCall(async () => view(await find(taskId, name, jobId))),
    async close() {
      await Promise.all([...queues.values()].map((open) => open.close()));
      queues.clear();
    },
  };

  async function view(found: PlacedJob | undefined): Promise<JobView | undefined> {
    if (!found) return undefined;
    const { job, state, queueName, prefix } = found;
    const { id = '', data, failedReason, attemptsMade, timestamp, opts } = job;
    const key = shardedName(prefix, `${queueName}:${id}`);
    const later = (opts.delay ?? 0) > 0 ? { notBefore: timestamp + Number(opts.delay) } : {};
    const held = state === 'waiting' && (await queue({ prefix, queueName }).isPaused()) ? { queuePaused: true as const } : {};
    return { queue: queueName, jobId: id, key, state, ...held, data, failedReason: failedReason || undefined, attemptsMade, addedAt: timestamp, ...later };
  }
}

/** What says nothing about any one task. */
const OUTAGES: ReadonlySet<string> = new Set(['REDIS_UNAVAILABLE', 'REDIS_FULL']);

/** Pushes of one turn: whoever reads from many sockets has all that came with one look at them. A push that is sent again meets itself, in flight. */
const TOGETHER: TogetherOptions<Push> = {
  max: 64,
  weight: ({ text }) => text.length,
  maxWeight: 1024 * 1024,
  mayBeOnes: (error) => !(isWritError(error) && OUTAGES.has(error.code)),
  whenDone: setImmediate,
};

/** Whether a job with an id of its own is one of this task. */
function carries({ job }: FoundJob, taskId: string): boolean {
  return TaskJob.safeParse(job.data).data?.manifest.task_id === taskId;
}

interface PushPlace {
  readonly pool: string;
  readonly shards: QueueShards;
  /** Milliseconds since 1970. */
  readonly now: number;
}

function preparePush(job: TaskJob, { attempts = 1, queue, notBefore, priority }: PushOptions, { pool, shards, now }: PushPlace): Push {
  const { manifest } = job;
  const text = JSON.stringify(job);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_JOB_BYTES) throw new WritError('INVALID_MANIFEST', `the job has ${bytes} bytes, at most ${MAX_JOB_BYTES} are allowed`);
  if (!Number.isInteger(attempts) || attempts < 1 || attempts > MAX_ATTEMPTS) {
    throw new WritError('INVALID_ARGUMENT', `must be a whole number from 1 to ${MAX_ATTEMPTS}`, { field: 'attempts' });
  }
  const queueName = queue === undefined ? queueOfJob(job, pool) : checkedName(queue);
  const taskId = manifest.task_id;
  return {
    taskId,
    jobId: jobIdOf(taskId),
    queueName,
    prefix: shards.home(taskId),
    name: manifest.capability_id,
    data: job,
    text,
    sha: manifestSha256(manifest),
    attempts,
    when: whenOf(notBefore, priority, now),
  };
}

function checkedName(name: string): string {
  if (!isQueueName(name)) throw new WritError('INVALID_ARGUMENT', `there is no queue '${name}'`, { field: 'queue' });
  return name;
}
