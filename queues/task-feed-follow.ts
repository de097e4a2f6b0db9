import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import type { Clock } from '../src/core/clock.ts';
import { changesOf } from './task-feed-changes.ts';
import { type FeedContext, IndexLost, store } from './task-feed-context.ts';
import { pass } from './task-feed-pass.ts';
import { isSound, millisecondsOf, positionName, readStreams, type StreamLook } from './task-feed-stream.ts';
import { sweepPage } from './task-feed-sweep.ts';
import { type LedgerWalks, ledgerWalks } from './task-feed-walks.ts';

/** Milliseconds. */
export interface FeedTimes {
  /** Longest wait for an event; then streams, ledger and index are looked at for losses. */
  readonly blockMs: number;
  /** Pause after a read that was not full: events that gather meanwhile share their commands. */
  readonly gatherMs: number;
  /** Between two pages of the search for rows that nobody knows any more. */
  readonly sweepMs: number;
  /** Between the first walk of a ledger that is written back and the next one. */
  readonly rewalkMs: number;
}

export interface FollowOptions {
  readonly context: FeedContext;
  /** Connection of the read that waits. */
  readonly waiting: RedisConnection;
  readonly positions: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly times: FeedTimes;
  /** Told of each round that worked. */
  readonly soundAgain: () => void;
}

/** Where nobody can wait at all streams at once, an idle look is repeated after so many pauses. */
const IDLE_ROUNDS = 4;

/** Events of one stream that are read at once. */
const MAX_EVENTS = 1000;

/** Follows the streams until the feed is stopped. @throws IndexLost, and whatever Redis or the index throw */
export async function followQueues(following: FollowOptions): Promise<void> {
  const { context, waiting, times, clock } = following;
  const { index, streams, stopping } = context;
  const severalShards = new Set(streams.map(({ prefix }) => prefix)).size > 1;
  const report = (state: 'building' | 'following', lagMs: number): void => index.report({ state, lagMs });
  let positions: Record<string, string> = { ...following.positions };
  let nextLook = 0;
  let nextSweep = clock.monotonic() + times.sweepMs;
  let swept = 0;
  const walks = ledgerWalks(context, clock, times.rewalkMs);

  const catchUp = async (quiet: boolean): Promise<void> => {
    report('building', 0);
    positions = { ...positions, ...(await pass(context, { quiet })) };
    await walks.look(positions, true);
  };
  if (streams.some((stream) => positions[positionName(stream)] === undefined)) await catchUp(Object.keys(positions).length === 0);

  while (!stopping.aborted) {
    const from = streams.map((stream) => ({ ...stream, id: positions[positionName(stream)] ?? '' }));
    const look = await readStreams(waiting, from, MAX_EVENTS, times.blockMs);
    const isLookDue = clock.monotonic() >= nextLook;
    // After the read: a stream is only ever trimmed at its beginning, so what is complete now was complete then. One that gave
    // nothing has lost nothing that is missing yet; whether it is still there is asked with the look for losses.
    const asked = isLookDue ? from : from.filter((stream) => look.positions[positionName(stream)] !== undefined);
    const sound = await Promise.all(asked.map((position) => isSound(context.redis, position)));
    if (sound.includes(false)) {
      await catchUp(false);
      continue;
    }
    await take(context, look);
    Object.assign(positions, look.positions);
    following.soundAgain();
    const full = look.entries >= MAX_EVENTS;
    report('following', full ? lagOf(look, clock) : 0);

    if (isLookDue) {
      nextLook = clock.monotonic() + times.blockMs;
      await lookForLosses(context, walks, positions);
    }
    if (clock.monotonic() >= nextSweep) {
      nextSweep = clock.monotonic() + times.sweepMs;
      swept = await sweepPage(context, swept);
    }
    const pauseMs = look.entries > 0 ? times.gatherMs : severalShards ? IDLE_ROUNDS * times.gatherMs : 0;
    if (!full && pauseMs > 0) await sleep(pauseMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}

async function take(context: FeedContext, { events, positions }: StreamLook): Promise<void> {
  if (Object.keys(positions).length === 0) return;
  await store(context, await changesOf(context, events), { positions });
}

/** An index file that is gone, and a ledger that was written back after a loss, leave no event. */
async function lookForLosses(context: FeedContext, walks: LedgerWalks, positions: Record<string, string>): Promise<void> {
  const { generation: there } = await context.index.begin();
  if (there !== context.generation) throw new IndexLost();
  await walks.look(positions);
}

function lagOf({ positions }: StreamLook, clock: Clock): number {
  const oldest = Math.min(...Object.values(positions).map(millisecondsOf));
  return Math.max(0, clock.now() - oldest);
}
