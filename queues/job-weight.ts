import { pipelined, type RedisConnection } from '../src/adapters/redis/redis-connection.ts';

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

/** Weighs a job's hash: what a stranger wrote there is weighed before it is read. Throws the server's WRONGTYPE for a key that is no hash. */
export async function jobWeight(connection: RedisConnection, key: string): Promise<JobWeight> {
  const answers = await pipelined(connection, [['exists', key], ...WEIGHED.map((field) => ['hstrlen', key, field] as const)]);
  const failure = answers.find(([error]) => error !== null)?.[0];
  if (failure) throw failure;
  const [exists = 0, name = 0, data = 0, ...rest] = answers.map(([, weight]) => Number(weight));
  return { exists: exists > 0, isJob: name + data > 0, bytes: rest.reduce((sum, weight) => sum + weight, name + data) };
}

/** Whether a job of that weight is too heavy to be looked at. `dataBytes`: what the data of its queue may have. */
export function isTooHeavy(bytes: number, dataBytes: number): boolean {
  return bytes > dataBytes + BESIDE_BYTES;
}
