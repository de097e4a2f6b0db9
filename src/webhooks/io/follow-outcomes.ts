import { isWritError } from '../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import { pause } from '../../core/pause.ts';
import type { OutboxPlace, TaskIndex, WebhookOutbox } from '../../core/ports/index.ts';
import { batchesOf } from './batches.ts';
import { collectNotices, type EndedTask } from './collect-notices.ts';
import { earlier, type FollowerDeps, RETRY_MS, SLACK_MS } from './follower.ts';
import { forgottenEnds } from './forgotten-ends.ts';

/** `outcome`: the index only says where to look. */
export interface FollowDeps extends FollowerDeps {
  readonly index: Pick<TaskIndex, 'events' | 'list' | 'health'>;
  readonly outbox: Pick<WebhookOutbox, 'place' | 'begin' | 'add' | 'wantedBy'>;
}

const BATCH = 64;
const PAGE = 100;
const BUILDING_MS = 200;

/**
 * Follows the task index and writes a notice for each outcome that an endpoint is told of. The place in the events is written with
 * the notices: a process that dies repeats the last events, and the same outcome makes the same notice. An end of which Redis knows
 * nothing any more is looked at again after pauses, and until then the place on disk stays before it (docs/webhooks.md, The protocol).
 *
 * @throws WritError STORAGE_UNAVAILABLE from `start` when no place can be written, and REDIS_UNAVAILABLE where there is none yet and Redis is away
 */
export function followOutcomes(deps: FollowDeps): Lifecycle {
  const { index, outbox, clock } = deps;
  let stopping = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  const forgotten = forgottenEnds();

  /** Where the look goes on; without a place it begins now. */
  async function placeOrNow(): Promise<OutboxPlace> {
    return (await outbox.place()) ?? outbox.begin(earlier(await deps.redisTime(), clock));
  }

  async function follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const place = await placeOrNow();
        await (place.event === undefined ? fromNow(place.seenAt, signal) : fromEvent(place.event, signal));
      } catch (error) {
        if (signal.aborted) return;
        // A disk that is full is no reason to look no more.
        if (isTooOld(error)) await forget(signal).catch(deps.onTrouble);
        else deps.onTrouble(error);
        await pause(deps.retryMs ?? RETRY_MS, signal);
      }
    }
  }

  /** Events from a place on; whatever ends the look ends them. */
  async function fromEvent(event: number | undefined, signal: AbortSignal, begun: () => Promise<void> = async () => undefined): Promise<void> {
    const over = new AbortController();
    const events = index.events(event, AbortSignal.any([signal, over.signal]));
    try {
      await events.begun;
      await begun();
      await take(events, signal);
    } finally {
      over.abort();
    }
  }

  /** No place in the events: listens first, then looks at everything that has ended since. */
  async function fromNow(seenAt: number, signal: AbortSignal): Promise<void> {
    while (index.health().state !== 'following') {
      await pause(BUILDING_MS, signal);
      if (signal.aborted) return;
    }
    await fromEvent(undefined, signal, async () => {
      const begunAt = earlier(await deps.redisTime(), clock);
      for (const state of ['success', 'failure'] as const) await lookBack(state, seenAt, signal);
      await outbox.add([], onDisk({ event: undefined, seenAt: Math.max(seenAt, begunAt - SLACK_MS) }), clock.now());
    });
  }

  async function lookBack(state: 'success' | 'failure', seenAt: number, signal: AbortSignal): Promise<void> {
    let cursor: string | undefined;
    do {
      const filter = { state, since: new Date(seenAt).toISOString() };
      const page = await index.list(filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
      await note(
        page.tasks.map(({ task_id, capability_id, updated_at }) => ({ taskId: task_id, capabilityId: capability_id, at: Date.parse(updated_at) })),
        { event: undefined, seenAt },
      );
      cursor = page.next;
    } while (cursor !== undefined && !signal.aborted);
  }

  /** The events were trimmed past the place, or the index is another one. */
  async function forget(signal: AbortSignal): Promise<void> {
    const { seenAt } = await placeOrNow();
    await outbox.add([], { event: undefined, seenAt: seenAt - SLACK_MS }, clock.now()).catch(deps.onTrouble);
    if (!signal.aborted) deps.onTrouble(new Error('events of the task index are missing; everything since is looked at'));
  }

  /** Takes events as they come; the place moves when their notices are on disk. */
  async function take(events: ReturnType<TaskIndex['events']>, signal: AbortSignal): Promise<void> {
    for await (const seen of batchesOf(events, BATCH)) {
      if (signal.aborted) return;
      const last = seen.at(-1);
      if (last === undefined) continue;
      const ended = seen.filter(({ state }) => state === 'success' || state === 'failure');
      await note(
        ended.map(({ task_id, capability_id, at }) => ({ taskId: task_id, capabilityId: capability_id, at: Date.parse(at) })),
        { event: last.id, seenAt: earlier(Date.parse(last.at), clock) },
      );
    }
  }

  /** One after the other: of two looks at a task the later one is noted later. */
  function note(ended: readonly EndedTask[], place?: OutboxPlace): Promise<void> {
    const done = turn.then(() => noteNow(ended, place));
    turn = done.catch(() => undefined);
    return done;
  }
  let turn: Promise<void> = Promise.resolve();

  async function noteNow(ended: readonly EndedTask[], place: OutboxPlace | undefined): Promise<void> {
    const found = await collectNotices(ended, deps);
    forgotten.looked(ended, found.forgotten, clock.monotonic());
    // A place without notices is worth no write of its own: what is looked at twice is noted once.
    if (found.notices.length === 0 && found.forgotten.length === 0 && !isDue(place?.event)) return;
    const { dropped } = await outbox.add(found.notices, place && onDisk(place), clock.now()).catch((error: unknown) => {
      // What was found is not on disk: it is looked at again.
      forgotten.looked(ended, ended, clock.monotonic());
      throw error;
    });
    if (dropped > 0) deps.onDropped(dropped);
    if (found.notices.length > 0) deps.onNotices(found.notices);
  }

  /** Whoever starts after a crash looks back at what is forgotten now. */
  function onDisk(place: OutboxPlace): OutboxPlace {
    const since = forgotten.since();
    return since === undefined ? place : { event: undefined, seenAt: Math.min(place.seenAt, since - SLACK_MS) };
  }

  async function lookAgain(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(deps.retryMs ?? RETRY_MS, signal);
      if (signal.aborted) return;
      const due = forgotten.due(clock.monotonic());
      for (let start = 0; start < due.length && !signal.aborted; start += BATCH) await note(due.slice(start, start + BATCH)).catch(deps.onTrouble);
    }
  }

  let written = 0;
  function isDue(event: number | undefined): boolean {
    if (event === undefined || event < written + BATCH) return false;
    written = event;
    return true;
  }

  return lifecycle(
    async () => {
      // Before anybody can wish to be told: what ends from here on is looked at, whatever happens next.
      await placeOrNow();
      stopping = new AbortController();
      running = Promise.all([follow(stopping.signal), lookAgain(stopping.signal)]);
    },
    async () => {
      stopping.abort();
      await running;
    },
  );
}

function isTooOld(error: unknown): boolean {
  return isWritError(error) && error.code === 'INVALID_ARGUMENT';
}
