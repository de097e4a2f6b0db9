import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';

/** What may come to the data of a job: its result, its error. */
const BESIDE_BYTES = 64 * 1024;

/** The fields that BullMQ writes and reads, name and data first. */
const WEIGHED = ['name', 'data', 'opts', 'returnvalue', 'failedReason', 'stacktrace', 'progress', 'parent'] as const;

/** What is known of a job's hash without fetching any of it. */
interface JobWeight {
  /** There is a key of that name. */
  readonly exists: boolean;
  /** It has a name or data, as BullMQ writes them. */
  readonly isJob: boolean;
  readonly bytes: number;
}

/** KEYS a job; ARGV fields. Answers their lengths, or nothing where there is no such key; the server's WRONGTYPE for one that is no hash. */
const LUA = `
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
local lengths = {}
for place, field in ipairs(ARGV) do
  local length = redis.pcall('HSTRLEN', KEYS[1], field)
  if type(length) == 'table' then return length end
  lengths[place] = length
end
return lengths`;

type ScriptedConnection = RedisConnection & { writJobWeight(...args: readonly (string | number)[]): Promise<readonly number[]> };

function withScript(redis: RedisConnection): ScriptedConnection {
  if (!('writJobWeight' in redis)) redis.defineCommand('writJobWeight', { lua: LUA });
  return redis as ScriptedConnection;
}

/**
 * Weighs a job's hash: what a stranger wrote there is weighed before it is read. One command, since what a bulk retry costs is
 * the number of its commands. Throws the server's WRONGTYPE for a key that is no hash.
 */
export async function jobWeight(connection: RedisConnection, key: string): Promise<JobWeight> {
  const lengths = await withScript(connection).writJobWeight(1, key, ...WEIGHED);
  const [name = 0, data = 0, ...rest] = lengths;
  return { exists: lengths.length > 0, isJob: name + data > 0, bytes: rest.reduce((sum, weight) => sum + weight, name + data) };
}

/** Whether a job of that weight is too heavy to be looked at. `dataBytes`: what the data of its queue may have. */
export function isTooHeavy(bytes: number, dataBytes: number): boolean {
  return bytes > dataBytes + BESIDE_BYTES;
}
