import type { Redis } from 'ioredis';
import type { ShownState } from '../src/contracts/index.ts';
import type { JobRef } from '../src/core/ports/index.ts';
import { QUEUE_PREFIX } from './catalog.ts';
import { MOST } from './task-feed-text.ts';

/** Position of a stream before its first entry. */
export const START = '0-0';

export interface StreamPosition {
  readonly queue: string;
  readonly id: string;
}

/** The newest thing that happened to a job. `undefined` as state: it was removed. */
export interface JobEvent extends JobRef {
  readonly state: ShownState | undefined;
  readonly at: number;
  readonly failedReason: string | undefined;
}

export interface StreamLook {
  readonly events: readonly JobEvent[];
  /** Positions after the look, for the queues that moved. */
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

const eventsKey = (queue: string): string => `${QUEUE_PREFIX}:${queue}:events`;

/** Up to `count` entries of each stream after its position; waits up to `blockMs` for the first. */
export async function readStreams(redis: Redis, from: readonly StreamPosition[], count: number, blockMs: number): Promise<StreamLook> {
  const keys = from.map(({ queue }) => eventsKey(queue));
  const read = await redis.xread('COUNT', count, 'BLOCK', blockMs, 'STREAMS', ...keys, ...from.map(({ id }) => id));
  const latest = new Map<string, JobEvent>();
  const positions: Record<string, string> = {};
  let entries = 0;
  for (const [key, items] of read ?? []) {
    const queue = from[keys.indexOf(key)]?.queue;
    if (queue === undefined) continue;
    for (const [id, fields] of items) {
      const event = eventOf(queue, id, fields);
      if (event !== undefined) latest.set(JSON.stringify([queue, event.jobId]), event);
      positions[queue] = id;
    }
    entries = Math.max(entries, items.length);
  }
  return { events: [...latest.values()], positions, entries };
}

function eventOf(queue: string, id: string, fields: readonly string[]): JobEvent | undefined {
  const field = (name: string): string | undefined => {
    const index = fields.findIndex((text, at) => at % 2 === 0 && text === name);
    return index < 0 ? undefined : fields[index + 1];
  };
  const state = STATES[field('event') ?? ''];
  const jobId = field('jobId');
  if (state === undefined || jobId === undefined || jobId.length > MOST.jobId) return undefined;
  return { queue, jobId, state: state === 'removed' ? undefined : state, at: msOf(id), failedReason: field('failedReason') };
}

/** Milliseconds of a stream id. */
export function msOf(id: string): number {
  return Number(id.split('-', 1)[0]);
}

/** Whether everything after the position is still in the stream: not when it was trimmed past it, is gone, or went back. */
export async function isSound(redis: Redis, { queue, id }: StreamPosition): Promise<boolean> {
  const info = await streamInfo(redis, queue);
  if (info === undefined) return id === START;
  if (compare(info.last, id) < 0) return false;
  if (info.first === undefined) return compare(info.last, id) === 0;
  if (id === START) return info.added === undefined || info.added <= info.length;
  return compare(info.first, id) <= 0;
}

/** The id that the newest entry has or had. */
export async function endOf(redis: Redis, queue: string): Promise<string> {
  return (await streamInfo(redis, queue))?.last ?? START;
}

interface StreamInfo {
  readonly length: number;
  readonly last: string;
  readonly first: string | undefined;
  /** Entries that were ever added; Redis 7 and later. */
  readonly added: number | undefined;
}

async function streamInfo(redis: Redis, queue: string): Promise<StreamInfo | undefined> {
  if ((await redis.type(eventsKey(queue))) !== 'stream') return undefined;
  const reply: unknown = await redis.xinfo('STREAM', eventsKey(queue)).catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('ERR no such key')) return undefined;
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
