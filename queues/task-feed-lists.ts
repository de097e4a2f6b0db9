import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import type { ShownState } from '../src/contracts/index.ts';
import type { Stream } from './task-feed-stream.ts';
import { MAX_LENGTHS } from './task-feed-text.ts';

/** Job ids that were in one state at one time of Redis. */
export interface ListPage {
  readonly state: ShownState;
  readonly jobIds: readonly string[];
  readonly seenAt: number;
}

const PAGE = 500;
/** Ids that two pages of a list share, so that jobs which leave in between hide nobody. */
const OVERLAP = 100;
const MAX_RESTARTS = 3;

/** BullMQ's places of jobs. Whoever moves between them while they are walked leaves an event in the stream. */
const LISTS = { wait: 'waiting', paused: 'waiting', active: 'running' } as const satisfies Record<string, ShownState>;
const SETS = {
  prioritized: 'waiting',
  'waiting-children': 'waiting',
  delayed: 'delayed',
  failed: 'failure',
  completed: 'success',
} as const satisfies Record<string, ShownState>;

/** Every job of a queue, page by page; a job may come twice. */
export async function* jobPages(redis: RedisConnection, { prefix, queue }: Stream): AsyncGenerator<ListPage> {
  for (const [name, state] of Object.entries(LISTS)) yield* listPages(redis, `${prefix}:${queue}:${name}`, state);
  for (const [name, state] of Object.entries(SETS)) yield* setPages(redis, `${prefix}:${queue}:${name}`, state);
}

/** A list is walked by its ranks. When the last id of a page is not in the next, too much has moved: from the start again. */
async function* listPages(redis: RedisConnection, key: string, state: ShownState): AsyncGenerator<ListPage> {
  let restarts = 0;
  let last: string | undefined;
  for (let start = 0; ; ) {
    const { seenAt, ids } = await timed(redis, (multi) => multi.lrange(key, start, start + PAGE - 1));
    if (ids.length > 0) yield { state, jobIds: ids.filter(short), seenAt };
    const torn = last !== undefined && !ids.includes(last) && restarts < MAX_RESTARTS;
    if (torn) restarts += 1;
    else if (ids.length < PAGE) return;
    last = torn ? undefined : ids.at(-1);
    start = torn ? 0 : start + PAGE - OVERLAP;
  }
}

/** ZSCAN hands out every member that stays from its beginning to its end. */
async function* setPages(redis: RedisConnection, key: string, state: ShownState): AsyncGenerator<ListPage> {
  let cursor = '0';
  do {
    const { seenAt, reply } = await timed(redis, (multi) => multi.zscan(key, cursor, 'COUNT', PAGE));
    const [next, flat] = itemsOf(reply);
    cursor = String(next ?? '0');
    const jobIds = textsOf(flat).filter((_, index) => index % 2 === 0);
    for (let start = 0; start < jobIds.length; start += PAGE) yield { state, jobIds: jobIds.slice(start, start + PAGE).filter(short), seenAt };
  } while (cursor !== '0');
}

type Multi = ReturnType<RedisConnection['multi']>;

/** One command and the time at which Redis answered it. */
async function timed(redis: RedisConnection, add: (multi: Multi) => Multi): Promise<{ seenAt: number; reply: unknown; ids: readonly string[] }> {
  const [time, reply] = (await add(redis.multi().time()).exec()) ?? [];
  const failure = time?.[0] ?? reply?.[0];
  // A key of another type, made by a stranger, holds no jobs.
  if (failure && !failure.message.startsWith('WRONGTYPE')) throw failure;
  const [seconds = '0', micros = '0'] = textsOf(time?.[1]);
  return { seenAt: Number(seconds) * 1000 + Math.floor(Number(micros) / 1000), reply: reply?.[1], ids: textsOf(reply?.[1]) };
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown): readonly string[] {
  return itemsOf(value).map(String);
}

function short(jobId: string): boolean {
  return jobId.length <= MAX_LENGTHS.jobId;
}
