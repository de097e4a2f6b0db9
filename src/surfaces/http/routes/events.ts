import { PassThrough } from 'node:stream';
import { z } from 'zod';
import { PlanEvent, TaskEvent } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { PlanEvents } from '../../../core/ports/index.ts';
import { type AnyRoute, route } from '../route.ts';
import { createEventWriter, type EventWriter } from './event-writer.ts';

export interface EventLimits {
  /** Streams that one key or session may hold open. */
  readonly streams: number;
  /** A comment goes out this often, so that proxies and clients know that the stream lives. */
  readonly heartbeatMs: number;
  /** A reader that takes nothing for so long is dropped. */
  readonly stallMs: number;
}

const LIMITS: EventLimits = { streams: 16, heartbeatMs: 15_000, stallMs: 30_000 };

const NO_EVENT = 'must be the id of an event that was received';
const LastEventId = z
  .string()
  .regex(/^\d{1,16}$/, NO_EVENT)
  .transform(Number)
  .refine(Number.isSafeInteger, NO_EVENT);

export function eventsRoute(limits: EventLimits = LIMITS): AnyRoute {
  const open = new Map<string, number>();
  return route({
    method: 'GET',
    path: '/v1/events',
    operation: 'streamEvents',
    summary: 'Changes of tasks and plans as they happen',
    description:
      'Server-sent events of type `task` (a TaskEvent), whose `id` counts up, and of type `plan` (a PlanEvent), which have none: the last change of a plan counts, those between may be left out. A client that reconnects sends `Last-Event-ID` and misses no task while the index still has it. ' +
      'A reader that does not take its events is dropped with an event `dropped`; a comment every 15 s shows that the stream lives.',
    tag: 'events',
    access: ['read'],
    headers: { 'last-event-id': 'Number of the last event that was seen; the stream goes on after it.' },
    responses: {
      200: {
        description: 'A stream without an end; `data` of every event is a TaskEvent or a PlanEvent.',
        type: 'text/event-stream',
        schema: z.union([TaskEvent, PlanEvent]),
      },
    },
    problems: ['INVALID_ARGUMENT', 'RATE_LIMITED', 'STORAGE_UNAVAILABLE'],
    async handle({ request, reply, caller, signal, services }) {
      const after = lastEventId(request.headers['last-event-id']);
      const leave = enter(open, `${caller.via}:${caller.name}`, limits.streams);
      const ended = new AbortController();
      const over = AbortSignal.any([signal, ended.signal]);
      const events = services.index.events(after, over);
      try {
        // A resume that cannot be complete is refused before the answer begins.
        await events.begun;
      } catch (error) {
        leave();
        throw error;
      }
      const stream = new PassThrough({ highWaterMark: 65_536 });
      void reply.code(200).type('text/event-stream').header('cache-control', 'no-store').header('x-accel-buffering', 'no').send(stream);
      const writer = createEventWriter(stream, limits, over);
      const stopPlans = followPlans(services.plans.events, writer);
      void follow(events, writer)
        .catch((error: unknown) => request.log.warn({ err: error }, 'an event stream broke off'))
        .finally(() => {
          stopPlans();
          leave();
          ended.abort();
        });
      return 'sent';
    },
  });
}

/** @throws WritError INVALID_ARGUMENT */
function lastEventId(header: string | readonly string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  const read = LastEventId.safeParse(header);
  if (!read.success) throw new WritError('INVALID_ARGUMENT', 'Last-Event-ID must be the number of an event', { field: 'last-event-id' });
  return read.data;
}

/** @throws WritError RATE_LIMITED */
function enter(open: Map<string, number>, who: string, most: number): () => void {
  const before = open.get(who) ?? 0;
  if (before >= most) throw new WritError('RATE_LIMITED', `at most ${most} event streams of one key are open at the same time`);
  open.set(who, before + 1);
  let left = false;
  return () => {
    if (left) return;
    left = true;
    const rest = (open.get(who) ?? 1) - 1;
    if (rest === 0) open.delete(who);
    else open.set(who, rest);
  };
}

/** The newest change of each plan that the reader has not been told of, at most so many plans: beyond them the oldest are left out. */
const MAX_PLANS = 1000;

function followPlans(plans: PlanEvents, writer: EventWriter): () => void {
  const news = new Map<string, PlanEvent>();
  let writing = false;
  const writeAll = async (): Promise<void> => {
    writing = true;
    for (let [event] = news.values(); event !== undefined; [event] = news.values()) {
      news.delete(event.plan_id);
      if (!(await writer.plan(event))) break;
    }
    writing = false;
  };
  return plans.listen((event) => {
    news.delete(event.plan_id);
    news.set(event.plan_id, event);
    const [oldest] = news.keys();
    if (news.size > MAX_PLANS && oldest !== undefined) news.delete(oldest);
    if (!writing) void writeAll();
  });
}

async function follow(events: AsyncIterable<TaskEvent>, writer: EventWriter): Promise<void> {
  try {
    for await (const event of events) if (!(await writer.event(event))) return;
    writer.end();
  } catch (error) {
    writer.fail(error);
    throw error;
  }
}
