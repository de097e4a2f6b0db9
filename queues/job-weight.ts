import { pipelined, type RedisConnection } from '../src/adapters/redis/redis-connection.ts';

/** What may come to the data of a job: its result, its error. */
const BESIDE_BYTES = 64 * 1024;

/** The fields that BullMQ writes and reads, name and data first. */
const WEIGHED = ['name', 'data', 'opts', 'returnvalue', 'failedReason', 'stacktrace', 'progress', 'parent'] as const;

/**
 * The bytes of a job's hash, of which nothing is fetched: what a stranger wrote there is weighed before it is read. 0: there is
 * no job. Throws the server's WRONGTYPE for a key that is no hash.
 */
export async function jobWeight(connection: RedisConnection, key: string): Promise<number> {
  const answers = await pipelined(
    connection,
    WEIGHED.map((field) => ['hstrlen', key, field] as const),
  );
  const failure = answers.find(([error]) => error !== null)?.[0];
  if (failure) throw failure;
  const [name = 0, data = 0, ...rest] = answers.map(([, weight]) => Number(weight));
  return name + data === 0 ? 0 : rest.reduce((sum, weight) => sum + weight, name + data);
}

/** Whether a job of that weight is too heavy to be looked at. `dataBytes`: what the data of its queue may have. */
export function isTooHeavy(bytes: number, dataBytes: number): boolean {
  return bytes > dataBytes + BESIDE_BYTES;
}
