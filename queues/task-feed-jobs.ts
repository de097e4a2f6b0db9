import { type KeyedCommand, pipelined, type RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { MAX_JOB_BYTES } from '../src/contracts/index.ts';
import type { JobRef } from '../src/core/ports/index.ts';
import type { JobFields } from './task-feed-row.ts';

/** Jobs that are read in one pipeline, and bytes of job data that may be on their way at once. */
const MAX_JOBS = 500;
const MAX_BYTES = 8 * 1024 * 1024;

/** The fields that a producer or an error fills with as much as it likes. */
const WEIGHED = ['data', 'failedReason', 'name'] as const;
const FIELDS = ['name', 'timestamp', 'processedOn', 'finishedOn', 'atm', 'failedReason', 'data'] as const;

/** A job and the shard in which it was seen. */
export interface PlacedJob extends JobRef {
  readonly prefix: string;
}

export function jobKey({ prefix, queue, jobId }: PlacedJob): string {
  return `${prefix}:${queue}:${jobId}`;
}

/**
 * Reads jobs by exactly the fields that the index shows, in their order; `undefined`: BullMQ has no such job. Their sizes
 * are asked first: data that is too large for a task is not fetched, and no pipeline carries more than 8 MiB.
 */
export async function readJobs(redis: RedisConnection, jobs: readonly PlacedJob[]): Promise<readonly (JobFields | undefined)[]> {
  const found: (JobFields | undefined)[] = [];
  for (let start = 0; start < jobs.length; start += MAX_JOBS) found.push(...(await readSome(redis, jobs.slice(start, start + MAX_JOBS))));
  return found;
}

async function readSome(redis: RedisConnection, jobs: readonly PlacedJob[]): Promise<readonly (JobFields | undefined)[]> {
  const lengths = await replies(
    redis,
    jobs.flatMap((job) => WEIGHED.map((field) => ['hstrlen', jobKey(job), field])),
  );
  const sized = jobs.map((job, index) => {
    const [data, reason, name] = WEIGHED.map((_, at) => fits(lengths[WEIGHED.length * index + at]));
    return { job, data, reason, name };
  });
  const found: (JobFields | undefined)[] = [];
  for (const portion of portions(sized)) {
    const hashes = await replies(
      redis,
      portion.map((one) => ['hmget', jobKey(one.job), ...fieldsOf(one)]),
    );
    for (const [index, { job }] of portion.entries()) found.push(jobOf(job, hashes[index]));
  }
  return found;
}

interface Sized {
  readonly job: PlacedJob;
  /** Bytes, `undefined` when there are too many. */
  readonly data: number | undefined;
  readonly reason: number | undefined;
  readonly name: number | undefined;
}

function fits(length: unknown): number | undefined {
  return typeof length === 'number' && length <= MAX_JOB_BYTES ? length : undefined;
}

/** Fields in a fixed order; one that is too large is asked for under a name that no job has. */
function fieldsOf({ data, reason, name }: Sized): string[] {
  const known: Readonly<Record<string, boolean>> = { data: data !== undefined, failedReason: reason !== undefined, name: name !== undefined };
  return FIELDS.map((field) => (known[field] === false ? '' : field));
}

function* portions(all: readonly Sized[]): Generator<readonly Sized[]> {
  let portion: Sized[] = [];
  let bytes = 0;
  for (const one of all) {
    const size = (one.data ?? 0) + (one.reason ?? 0) + (one.name ?? 0);
    if (portion.length > 0 && bytes + size > MAX_BYTES) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(one);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}

function jobOf({ queue, jobId }: JobRef, reply: unknown): JobFields | undefined {
  if (!Array.isArray(reply) || reply.every((value) => value === null)) return undefined;
  const [name, timestamp, processedOn, finishedOn, attempts, failedReason, data] = reply.map((value) => (typeof value === 'string' ? value : null));
  return {
    queue,
    jobId,
    name: name ?? null,
    timestamp: timestamp ?? null,
    processedOn: processedOn ?? null,
    finishedOn: finishedOn ?? null,
    attempts: attempts ?? null,
    failedReason: failedReason ?? null,
    data: data ?? undefined,
  };
}

/** The replies of many commands; a key that holds something else than a hash is as good as none. */
export async function replies(redis: RedisConnection, commands: readonly KeyedCommand[]): Promise<readonly unknown[]> {
  const results = await pipelined(redis, commands);
  return results.map(([error, reply]) => {
    if (error === null) return reply;
    if (error.message.startsWith('WRONGTYPE')) return undefined;
    throw error;
  });
}
