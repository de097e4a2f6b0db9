import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { MAX_JOB_BYTES } from '../src/contracts/index.ts';
import type { JobRef } from '../src/core/ports/index.ts';
import type { JobFields } from './task-feed-row.ts';

/** Jobs that are read in one command, and bytes of job data that may be on their way at once. */
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
 * are looked at first: data that is too large for a task is not fetched, and no answer carries more than 8 MiB.
 */
export async function readJobs(redis: RedisConnection, jobs: readonly PlacedJob[]): Promise<readonly (JobFields | undefined)[]> {
  const found: (JobFields | undefined)[] = [];
  for (let start = 0; start < jobs.length; start += MAX_JOBS) found.push(...(await readSome(redis, jobs.slice(start, start + MAX_JOBS))));
  return found;
}

/**
 * KEYS the jobs, ARGV the most bytes of a field, the most bytes of the answer. Answers a list of field values for each key, of the
 * first ones only when there are too many bytes; a key that holds something else than a hash has an empty list.
 */
const LUA = `
local FIELDS = { ${FIELDS.map((field) => `'${field}'`).join(', ')} }
local WEIGHED = { ${WEIGHED.map((field) => `${field} = true`).join(', ')} }
local most, room = tonumber(ARGV[1]), tonumber(ARGV[2])
local found = {}
for at, key in ipairs(KEYS) do
  local fields, bytes, is_hash = {}, 0, true
  for place, field in ipairs(FIELDS) do
    fields[place] = field
    if is_hash and WEIGHED[field] then
      local length = redis.pcall('HSTRLEN', key, field)
      if type(length) == 'table' then
        if not string.find(length.err, '^WRONGTYPE') then return length end
        is_hash = false
      elseif length > most then
        -- Asked for under a name that no job has.
        fields[place] = ''
      else
        bytes = bytes + length
      end
    end
  end
  if at > 1 and bytes > room then return found end
  room = room - bytes
  found[at] = is_hash and redis.call('HMGET', key, unpack(fields)) or {}
end
return found`;

type ScriptedConnection = RedisConnection & { writReadJobs(...args: readonly (string | number)[]): Promise<readonly unknown[]> };

function withScript(redis: RedisConnection): ScriptedConnection {
  if (!('writReadJobs' in redis)) redis.defineCommand('writReadJobs', { lua: LUA });
  return redis as ScriptedConnection;
}

/** One command, and one more for each 8 MiB; in a cluster one slot at a time. */
async function readSome(redis: RedisConnection, jobs: readonly PlacedJob[]): Promise<readonly (JobFields | undefined)[]> {
  const scripted = withScript(redis);
  const found: (JobFields | undefined)[] = jobs.map(() => undefined);
  for (const prefix of new Set(jobs.map((job) => job.prefix))) {
    let places = [...jobs.keys()].filter((place) => jobs[place]?.prefix === prefix);
    while (places.length > 0) {
      const asked = places.flatMap((place) => jobs[place] ?? []);
      const hashes = await scripted.writReadJobs(asked.length, ...asked.map(jobKey), MAX_JOB_BYTES, MAX_BYTES);
      for (const [at, hash] of hashes.entries()) {
        const [place, job] = [places[at], asked[at]];
        if (place !== undefined && job !== undefined) found[place] = jobOf(job, hash);
      }
      places = places.slice(Math.max(1, hashes.length));
    }
  }
  return found;
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
