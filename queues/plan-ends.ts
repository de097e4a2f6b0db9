import type { Redis } from 'ioredis';
import { z } from 'zod';
import { readPlanView } from '../src/adapters/redis/plan-views.ts';
import { duplicateOf, masters, type RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import { redisTime } from '../src/adapters/redis/redis-time.ts';
import type { Clock } from '../src/core/clock.ts';
import { type Lifecycle, lifecycle } from '../src/core/lifecycle.ts';
import { pause } from '../src/core/pause.ts';
import type { EndedPlan, PlanEnds, PlanHistories, PlanView } from '../src/core/ports/index.ts';
import { queueName } from './catalog.ts';
import { ONE_SHARD, type QueueShards } from './shards.ts';
import { endOf, isSound, type JobEvent, millisecondsOf, positionName, readStreams, type StreamPosition } from './task-feed-stream.ts';

export interface PlanEndsOptions {
  /** Two connections of its own are made like this one. */
  readonly connection: RedisConnection;
  readonly pool: string;
  readonly shards?: QueueShards;
  /** The plan journal of this host, which knows ends that Redis has forgotten. */
  readonly histories: Pick<PlanHistories, 'list'>;
  readonly clock: Clock;
}

const MAX_EVENTS = 1000;
const BLOCK_MS = 1000;
/** Events that gather meanwhile share their commands. */
const GATHER_MS = 50;
/** Where nobody can wait at several shards at once. */
const IDLE_MS = 200;
const COMMAND_MS = 10_000;
const SCAN_COUNT = 1000;
const PAGE = 500;
/** Views that are read at once. */
const TOGETHER = 50;

/** A plan runs in this job and ends with it; jobs of it under other ids end beside it. */
const JOB_ID = /^p_([0-9a-f]{64})$/;
const Place = z.record(z.string(), z.string().regex(/^\d{1,16}-\d{1,20}$/));

/** Ends of plans by BullMQ's events of the plan queue, and by what Redis and the plan journal of this host still know (docs/webhooks.md). */
export function createPlanEnds({ connection, pool, shards = ONE_SHARD, histories, clock }: PlanEndsOptions): PlanEnds & Lifecycle {
  const queue = queueName('plan', pool);
  const streams = shards.all.map((prefix) => ({ prefix, queue }));
  let redis = connection;
  let waiting = connection;
  let isCut = false;

  /** A read that waits is over at once. Nothing is closed twice: ioredis waits two seconds for the end of what has ended before. */
  function cut(): void {
    if (!isCut) waiting.disconnect();
    isCut = true;
  }

  function positionsIn(place: string): readonly StreamPosition[] | undefined {
    const known = Place.safeParse(parsed(place)).data ?? {};
    const positions = streams.flatMap((stream) => {
      const id = known[positionName(stream)];
      return id === undefined ? [] : [{ ...stream, id }];
    });
    return positions.length === streams.length ? positions : undefined;
  }

  return {
    ...lifecycle(
      () => {
        [redis, waiting] = [own(connection), own(connection)];
        isCut = false;
      },
      () => {
        redis.disconnect();
        cut();
      },
    ),

    here: () =>
      redisCall(async () => {
        const at = await redisTime(redis);
        const ends = await Promise.all(streams.map(async (stream) => [positionName(stream), await endOf(redis, stream)] as const));
        return { place: JSON.stringify(Object.fromEntries(ends)), at };
      }),

    after: (place, signal) =>
      redisCall(async () => {
        const from = positionsIn(place);
        if (from === undefined) return 'lost';
        // Ids that are read after this were not there before.
        const begun = await redisTime(redis);
        if (signal.aborted) return { place, at: begun, ended: [] };
        signal.addEventListener('abort', cut, { once: true });
        const look = await readStreams(waiting, from, MAX_EVENTS, BLOCK_MS).finally(() => signal.removeEventListener('abort', cut));
        // After the read: a stream is only ever trimmed at its beginning, so what is complete now was complete then.
        const sound = await Promise.all(from.map((position) => isSound(redis, position)));
        if (sound.includes(false)) return 'lost';
        const isFull = look.entries >= MAX_EVENTS;
        const restMs = look.entries > 0 ? GATHER_MS : streams.length > 1 ? IDLE_MS : 0;
        if (!isFull && restMs > 0) await pause(restMs, signal);
        const positions = { ...Object.fromEntries(from.map((position) => [positionName(position), position.id])), ...look.positions };
        // A full read has not come to the end of a stream.
        const oldest = Math.min(...Object.values(look.positions).map(millisecondsOf));
        return { place: JSON.stringify(positions), at: isFull ? oldest : begun, ended: look.events.flatMap(endedPlan) };
      }),

    async *since(at) {
      for (const server of masters(redis)) yield* viewsOf(server, at);
      for (const state of ['success', 'failure'] as const) yield* journalled(state, at);
    },
  };

  async function* viewsOf(server: Redis, at: number): AsyncGenerator<readonly EndedPlan[]> {
    let cursor = '0';
    do {
      const [next, keys] = await redisCall(() => server.scan(cursor, 'MATCH', '{wl-*}:plan:*', 'COUNT', SCAN_COUNT));
      cursor = next;
      const ids = keys.flatMap((key) => /:plan:([0-9a-f]{64})$/.exec(key)?.[1] ?? []);
      for (let start = 0; start < ids.length; start += TOGETHER) {
        const views = await Promise.all(ids.slice(start, start + TOGETHER).map((id) => readPlanView(redis, id)));
        yield views.flatMap((view) => endedView(view, at));
      }
    } while (cursor !== '0');
  }

  /** A view is anybody's to write: its time may be none. */
  function endedView(view: PlanView | undefined, at: number): readonly EndedPlan[] {
    // A time that is none is 0, and says nothing.
    if (view === undefined || (view.updated !== 0 && view.updated < at) || (view.state !== 'success' && view.state !== 'failure')) return [];
    return [{ planSha256: view.id, at: view.updated === 0 ? clock.now() : Math.min(view.updated, clock.now()) }];
  }

  async function* journalled(state: 'success' | 'failure', at: number): AsyncGenerator<readonly EndedPlan[]> {
    let cursor: string | undefined;
    do {
      const filter = { state, since: new Date(at).toISOString() };
      const page = histories.list(filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
      yield page.plans.map(({ id, updated }) => ({ planSha256: id, at: updated }));
      cursor = page.next;
    } while (cursor !== undefined);
  }
}

function parsed(place: string): unknown {
  try {
    return JSON.parse(place);
  } catch {
    return undefined;
  }
}

/** A job that was removed may have ended before; whether its plan has, the plan says. */
function endedPlan({ jobId, state, at }: JobEvent): readonly EndedPlan[] {
  const planSha256 = JOB_ID.exec(jobId)?.[1];
  const mayHaveEnded = state === undefined || state === 'success' || state === 'failure';
  return planSha256 === undefined || !mayHaveEnded ? [] : [{ planSha256, at }];
}

function own(connection: RedisConnection): RedisConnection {
  const redis = duplicateOf(connection, { maxRetriesPerRequest: 1, enableOfflineQueue: true, commandTimeout: COMMAND_MS, connectionName: 'writ-plan-ends' });
  // Each call reports its own failure; without a listener the event would be printed.
  return redis.on('error', () => undefined);
}
