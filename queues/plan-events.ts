import { QueueEvents } from 'bullmq';
import { readPlanView } from '../src/adapters/redis/plan-views.ts';
import type { RedisConnection } from '../src/adapters/redis/redis-connection.ts';
import type { PlanEvent } from '../src/contracts/index.ts';
import { isWritError } from '../src/core/errors.ts';
import { wellFormed } from '../src/core/i-json.ts';
import type { PlanEvents, PlanView } from '../src/core/ports/index.ts';
import { queueName } from './catalog.ts';
import { ONE_SHARD, type QueueShards } from './shards.ts';

export interface PlanEventsOptions {
  readonly connection: RedisConnection;
  readonly pool: string;
  readonly shards?: QueueShards;
  /** Reads views; a subscribed connection cannot. */
  readonly reader: RedisConnection;
  /** A view as far as it is proved (`Plans`): asked for plans that say they have ended. */
  readonly proven: (id: string) => Promise<PlanView | undefined>;
  readonly onError?: (error: unknown) => void;
}

/** Changes of one plan within this time are one event, milliseconds. */
const GATHER_MS = 100;
/** Views that are read at once. */
const TOGETHER = 50;
/** Plans whose last event is remembered, so that nothing is told twice. */
const REMEMBERED = 10_000;

/** BullMQ's events after which the view of a plan may have changed. */
const TRIGGERS = ['waiting', 'active', 'delayed', 'progress', 'completed', 'failed'] as const;
const JOB_ID = /^p_([0-9a-f]{64})$/;

/**
 * Follows all plans of a pool for those who look: the stream of the queue says which plan has moved, its view says how it
 * stands. Lossy, and nothing is read while nobody listens. The connection stays the caller's; it is duplicated.
 */
export function createPlanEvents({
  connection,
  pool,
  shards = ONE_SHARD,
  reader,
  proven,
  onError = () => undefined,
}: PlanEventsOptions): PlanEvents & { close(): Promise<void> } {
  const listeners = new Set<(event: PlanEvent) => void>();
  const moved = new Set<string>();
  const told = new Map<string, string>();
  let following: readonly QueueEvents[] | undefined;
  let gathering: ReturnType<typeof setTimeout> | undefined;

  const tell = (event: PlanEvent): void => {
    const { at, ...rest } = event;
    const words = JSON.stringify(rest);
    if (told.get(event.plan_id) === words) return;
    told.delete(event.plan_id);
    told.set(event.plan_id, words);
    const [oldest] = told.keys();
    if (told.size > REMEMBERED && oldest !== undefined) told.delete(oldest);
    for (const listener of listeners) listener(event);
  };
  const look = async (): Promise<void> => {
    const ids = [...moved];
    moved.clear();
    for (let from = 0; from < ids.length; from += TOGETHER) {
      const views = await Promise.all(ids.slice(from, from + TOGETHER).map((id) => readPlanView(reader, id)));
      for (const view of views) if (view !== undefined) await tellProved(view);
    }
  };
  /** Only a signed end is told as one. */
  const tellProved = async (view: PlanView): Promise<void> => {
    if (!hasEnded(view)) return tell(planEventOf({ ...view, error: undefined }));
    try {
      const end = await proven(view.id);
      if (end !== undefined) tell(planEventOf(end));
    } catch (error) {
      if (!isWritError(error) || error.code !== 'INVALID_RESULT') throw error;
    }
  };
  const onMove = ({ jobId }: { readonly jobId: string }): void => {
    const id = JOB_ID.exec(jobId)?.[1];
    if (id === undefined || listeners.size === 0) return;
    moved.add(id);
    gathering ??= setTimeout(() => {
      gathering = undefined;
      look().catch(onError);
    }, GATHER_MS);
  };
  const begin = (prefix: string): QueueEvents => {
    const events = new QueueEvents(queueName('plan', pool), { connection, prefix, skipVersionCheck: true });
    events.on('error', onError);
    for (const trigger of TRIGGERS) events.on(trigger, onMove);
    return events;
  };

  return {
    listen(listener) {
      following ??= shards.all.map(begin);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async close() {
      clearTimeout(gathering);
      listeners.clear();
      await Promise.all((following ?? []).map((events) => events.close()));
    },
  };
}

function hasEnded({ state }: PlanView): boolean {
  return state === 'success' || state === 'failure';
}

function planEventOf({ id, state, stepsDone, current, error, updated }: PlanView): PlanEvent {
  return {
    plan_id: id,
    state,
    steps_done: stepsDone,
    ...(current === undefined ? {} : { current: wellFormed(current.path) }),
    ...(error === undefined ? {} : { error_code: wellFormed(error.code) }),
    at: new Date(updated).toISOString(),
  };
}
