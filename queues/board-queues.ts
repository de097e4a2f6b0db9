import type { JobType, Queue } from 'bullmq';
import { readPlanView } from '../src/adapters/redis/plan-views.ts';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { MAX_JOB_BYTES } from '../src/contracts/index.ts';
import { type Lanes, laneQueues, MAX_PLAN_BYTES, QUEUE_PREFIX, queueName, taskQueues } from './catalog.ts';
import { isTooHeavy, jobWeight } from './job-weight.ts';
import { openQueue } from './open-queue.ts';
import { ONE_SHARD, type QueueShards, shardedName } from './shards.ts';

/** A job as it lies in Redis, whoever wrote it. `fields` are BullMQ's; nothing in them is believed. */
export interface StoredJob {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why the data could not be read; then `fields` holds no data. */
  readonly unreadable?: string;
  /** BullMQ's word for where it stands. */
  state(): Promise<string>;
}

/** One queue of tasks, opened for looking. */
export interface BoardQueue {
  /** Unique on the board: shards beside the default one are named with their prefix. */
  readonly name: string;
  /** As a lease names it, the same for all shards. */
  readonly queueName: string;
  readonly queue: Queue;
  job(id: string): Promise<StoredJob | undefined>;
  /**
   * Jobs of these states, `start` to `end` of each, newest first; a job that cannot be read is still there. Few are in
   * memory at a time: what is kept of each is what `show` makes of it.
   */
  jobs<T>(states: readonly string[], start: number, end: number, show: (job: StoredJob) => T): Promise<readonly T[]>;
  /** The newest `limit` lines of a job's log. */
  logs(id: string, limit: number): Promise<readonly string[]>;
  failedCount(): Promise<number>;
  /** Ids of the jobs that have failed until now, oldest first, `size` at a time; what fails meanwhile is not among them. */
  failedPages(size: number): AsyncIterable<readonly string[]>;
}

export interface BoardQueues extends AsyncDisposable {
  readonly pool: string;
  readonly queues: readonly BoardQueue[];
}

export interface BoardQueuesOptions {
  readonly connection: RedisConnection;
  readonly pool: string;
  /** Of the tools that are bound on this host; each has a queue. */
  readonly providers?: readonly string[];
  readonly lanes?: Lanes;
  readonly shards?: QueueShards;
}

/** Opens the queues of tasks and plans of a pool for the board, and its lanes. The connection stays the caller's. */
export function openBoardQueues({ connection, pool, providers = [], lanes = {}, shards = ONE_SHARD }: BoardQueuesOptions): BoardQueues {
  const inShards = (open: (prefix: string) => BoardQueue): readonly BoardQueue[] => shards.all.map(open);
  const tasks = taskQueues(pool, providers).flatMap((name) => inShards((prefix) => openBoardQueue({ name, prefix }, connection, MAX_JOB_BYTES)));
  const plan = queueName('plan', pool);
  const plans = inShards((prefix) => withProgress(openBoardQueue({ name: plan, prefix }, connection, MAX_PLAN_BYTES), connection));
  const single = laneQueues(pool, lanes).map((name) => openBoardQueue({ name, prefix: QUEUE_PREFIX }, connection, MAX_JOB_BYTES));
  const queues = [...tasks, ...plans, ...single];
  return {
    pool,
    queues,
    async [Symbol.asyncDispose]() {
      await Promise.all(queues.map(({ queue }) => queue.close()));
    },
  };
}

const PLAN_JOB_ID = /^p_([0-9a-f]{64})$/;

/** How far a plan is says its view, not its job. */
function withProgress(queue: BoardQueue, connection: RedisConnection): BoardQueue {
  const shown = async (job: StoredJob): Promise<StoredJob> => {
    const id = PLAN_JOB_ID.exec(job.id)?.[1];
    const view = id === undefined ? undefined : await readPlanView(connection, id);
    return view === undefined ? job : { ...job, fields: { ...job.fields, progress: { done: view.stepsDone, current: view.current?.path } } };
  };
  return {
    ...queue,
    async job(id) {
      const job = await queue.job(id);
      return job && shown(job);
    },
    async jobs(states, start, end, show) {
      const jobs = await queue.jobs(states, start, end, shown);
      return (await Promise.all(jobs)).map(show);
    },
  };
}

function openBoardQueue({ name, prefix }: { readonly name: string; readonly prefix: string }, connection: RedisConnection, jobBytes: number): BoardQueue {
  const queue = openQueue(name, prefix, connection);
  const failedKey = queue.toKey('failed');
  return {
    name: shardedName(prefix, name),
    queueName: name,
    queue,
    job: (id) => readJob(queue, connection, id, jobBytes),
    async jobs(states, start, end, show) {
      // The states come from the board's list of BullMQ's own.
      const ids = await queue.getRanges([...states] as JobType[], start, end, false);
      const shown = [];
      for (let from = 0; from < ids.length; from += TOGETHER) {
        const jobs = await Promise.all(ids.slice(from, from + TOGETHER).map((id) => readJob(queue, connection, id, jobBytes)));
        shown.push(...jobs.filter((job) => job !== undefined).map(show));
      }
      return shown;
    },
    async logs(id, limit) {
      return (await queue.getJobLogs(id, 0, limit - 1, false)).logs.reverse();
    },
    failedCount: () => connection.zcard(failedKey),
    failedPages: (size) => failedPages(connection, failedKey, size),
  };
}

/** Jobs that are read at the same time. */
const TOGETHER = 10;

/** Reads a job whatever is in it: one that is no JSON or too large is there without its data, and never breaks a page. */
async function readJob(queue: Queue, connection: RedisConnection, id: string, jobBytes: number): Promise<StoredJob | undefined> {
  const state = (): Promise<string> => queue.getJobState(id);
  const key = queue.toKey(id);
  const weight = await jobWeight(connection, key).catch(asNoJob);
  if (!weight?.isJob) return undefined;
  const { bytes } = weight;
  if (isTooHeavy(bytes, jobBytes)) return { id, fields: await outline(connection, key), unreadable: `the job has ${bytes} bytes`, state };
  try {
    const job = await queue.getJob(id);
    return job && { id, fields: { ...job.toJSON() }, state };
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) throw error;
    return { id, fields: await outline(connection, key), unreadable: 'the job is no JSON', state };
  }
}

/** One of BullMQ's own keys (`wait`, `events`), or something else that is no hash. */
function asNoJob(error: unknown): undefined {
  if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return undefined;
  throw error;
}

/** The small fields that need no parser. */
const MAX_OUTLINE_BYTES = 1024;
const OUTLINE = ['name', 'timestamp', 'processedOn', 'finishedOn'] as const;

async function outline(connection: RedisConnection, key: string): Promise<Record<string, unknown>> {
  const lengths = await Promise.all(OUTLINE.map((field) => connection.hstrlen(key, field)));
  // A field that is too long is asked for under a name that no job has.
  const values = await connection.hmget(key, ...OUTLINE.map((field, i) => ((lengths[i] ?? 0) > MAX_OUTLINE_BYTES ? '' : field)));
  return Object.fromEntries(OUTLINE.map((field, i) => [field, field === 'name' ? values[i] : Number(values[i]) || undefined]));
}

/**
 * Walks the failed set by (time, id), so that what is retried on the way neither hides nor repeats another job. It ends at
 * the newest failure of now: a job that fails again comes after it.
 */
async function* failedPages(connection: RedisConnection, key: string, size: number): AsyncIterable<readonly string[]> {
  const [, last] = await connection.zrange(key, '+inf', '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, 1, 'WITHSCORES');
  if (last === undefined) return;
  let time = '-inf';
  let id = '';
  let skip = 0;
  for (;;) {
    const flat = await connection.zrange(key, time, last, 'BYSCORE', 'LIMIT', skip, size, 'WITHSCORES');
    if (flat.length === 0) return;
    const page: string[] = [];
    let [seenTime, seenId] = [time, id];
    for (let i = 0; i < flat.length; i += 2) {
      const [member = '', score = ''] = [flat[i], flat[i + 1]];
      // Members of one time are sorted by their bytes.
      if (score === time && Buffer.compare(Buffer.from(member), Buffer.from(id)) <= 0) continue;
      page.push(member);
      [seenTime, seenId] = [score, member];
    }
    // A page of nothing but what was seen: more jobs failed in one millisecond than a page holds.
    skip = page.length === 0 ? skip + size : 0;
    [time, id] = [seenTime, seenId];
    if (page.length > 0) yield page;
  }
}
