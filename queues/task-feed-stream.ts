import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import type { ShownState } from '../src/contracts/index.ts';
import { shardedName } from './shards.ts';
import type { PlacedJob } from './task-feed-jobs.ts';
import { MAX_LENGTHS } from './task-feed-text.ts';

/** Position of a stream before its first entry. */
export const START = '0-0';

/** The event stream of a queue in one shard. */
export interface Stream {
  readonly prefix: string;
  readonly queue: string;
}

export interface StreamPosition extends Stream {
  readonly id: string;
}

/** What the index keeps the position of a stream under. */
export const positionName = ({ prefix, queue }: Stream): string => shardedName(prefix, queue);

/** The newest thing that happened to a job. `undefined` as state: it was removed. */
export interface JobEvent extends PlacedJob {
  readonly state: ShownState | undefined;
  readonly at: number;
  readonly failedReason: string | undefined;
}

export interface StreamLook {
  readonly events: readonly JobEvent[];
  /** Positions after the look, for the streams that moved. */
  readonly positions: Readonly<Record<string, string>>;
  readonly entries: number;
}

/** BullMQ's events that say where a job is now; all others tell the index nothing. */
const STATES: Readonly<Record<string, ShownState | 'removed'>> = {
  added: 'waiting',
  waiting: 'waiting',
  prioritized: 'waiting',
  'waiting-children': 'waiting',
  delayed: 'delayed',
  active: 'running',
  completed: 'success',
  failed: 'failure',
  removed: 'removed',
};

const eventsKey = ({ prefix, queue }: Stream): string => `${prefix}:${queue}:events`;

/**
 * Up to `count` entries of each stream after its position; waits up to `blockMs` for the first. Streams of several shards may
 * lie on several servers, and nobody can wait at all of them at once: then it answers at once, and the caller looks again.
 */
export async function readStreams(redis: RedisConnection, from: readonly StreamPosition[], count: number, blockMs: number): Promise<StreamLook> {
  const shards = [...new Set(from.map(({ prefix }) => prefix))].map((shard) => from.filter(({ prefix }) => prefix === shard));
  if (shards.length <= 1) return lookOf(from, await redis.xread('COUNT', count, 'BLOCK', blockMs, 'STREAMS', ...keysAndIds(from)));
  const reads = await Promise.all(shards.map((some) => redis.xread('COUNT', count, 'STREAMS', ...keysAndIds(some))));
  return lookOf(
    from,
    reads.flatMap((read) => read ?? []),
  );
}

type Read = readonly [key: string, items: readonly [id: string, fields: readonly string[]][]][];

function keysAndIds(from: readonly StreamPosition[]): string[] {
  return [...from.map(eventsKey), ...from.map(({ id }) => id)];
}

function lookOf(from: readonly StreamPosition[], read: Read | null): StreamLook {
  const streams = new Map(from.map((stream) => [eventsKey(stream), stream]));
  const latest = new Map<string, JobEvent>();
  const positions: Record<string, string> = {};
  let entries = 0;
  for (const [key, items] of read ?? []) {
    const stream = streams.get(key);
    if (stream === undefined) continue;
    for (const [id, fields] of items) {
      const event = eventOf(stream, id, fields);
      if (event !== undefined) latest.set(JSON.stringify([key, event.jobId]), event);
      positions[positionName(stream)] = id;
    }
    entries = Math.max(entries, items.length);
  }
  return { events: [...latest.values()], positions, entries };
}

function eventOf({ prefix, queue }: Stream, id: string, fields: readonly string[]): JobEvent | undefined {
  const field = (name: string): string | undefined => {
    const index = fields.findIndex((text, at) => at % 2 === 0 && text === name);
    return index < 0 ? undefined : fields[index + 1];
  };
  const state = STATES[field('event') ?? ''];
  const jobId = field('jobId');
  if (state === undefined || jobId === undefined || jobId.length > MAX_LENGTHS.jobId) return undefined;
  return { prefix, queue, jobId, state: state === 'removed' ? undefined : state, at: millisecondsOf(id), failedReason: field('failedReason') };
}

/** Milliseconds of a stream id. */
export function millisecondsOf(id: string): number {
  return Number(id.split('-', 1)[0]);
}

/** Whether everything after the position is still in the stream: not when it was trimmed past it, is gone, or went back. */
export async function isSound(redis: RedisConnection, { id, ...stream }: StreamPosition): Promise<boolean> {
  const info = await streamInfo(redis, stream);
  if (info === undefined) return id === START;
  if (compare(info.last, id) < 0) return false;
  if (info.first === undefined) return compare(info.last, id) === 0;
  if (id === START) return info.added === undefined || info.added <= info.length;
  return compare(info.first, id) <= 0;
}

/** The id that the newest entry has or had. */
export async function endOf(redis: RedisConnection, stream: Stream): Promise<string> {
  return (await streamInfo(redis, stream))?.last ?? START;
}

interface StreamInfo {
  readonly length: number;
  readonly last: string;
  readonly first: string | undefined;
  /** Entries that were ever added; Redis 7 and later. */
  readonly added: number | undefined;
}

/** Nothing, or something else, lies under the key. */
const NO_STREAM = /^(?:ERR no such key|WRONGTYPE)/;

async function streamInfo(redis: RedisConnection, stream: Stream): Promise<StreamInfo | undefined> {
  const reply: unknown = await redis.xinfo('STREAM', eventsKey(stream)).catch((error: unknown) => {
    if (error instanceof Error && NO_STREAM.test(error.message)) return undefined;
    throw error;
  });
  if (!Array.isArray(reply)) return undefined;
  const values: readonly unknown[] = reply;
  const value = (name: string): unknown => values[values.indexOf(name) + 1];
  const first = value('first-entry');
  const added = values.includes('entries-added') ? Number(value('entries-added')) : undefined;
  return { length: Number(value('length')), last: String(value('last-generated-id')), first: Array.isArray(first) ? String(first[0]) : undefined, added };
}

/** Order of stream ids. */
export function compare(a: string, b: string): number {
  const [aMs = '0', aSeq = '0'] = a.split('-');
  const [bMs = '0', bSeq = '0'] = b.split('-');
  return Number(aMs) - Number(bMs) || Number(aSeq) - Number(bSeq);
}
