import { WritApiError, WritConnectionError } from './errors.ts';
import { streamed } from './exchange.ts';
import type { Settings } from './options.ts';
import { backoffMs, pauseAfter, sleep } from './pause.ts';
import { serverSentOf } from './sse.ts';
import type { PlanEvent, Problem, TaskEvent } from './types.ts';

export interface EventsOptions {
  /** Id of the event after which the stream begins; unless given, it begins now. */
  readonly after?: number;
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal;
  /** Milliseconds of silence after which the server counts as gone; it sends a comment every 15 s. */
  readonly silenceMs?: number;
}

/** A change of a task or of a plan. */
export type Change = { readonly kind: 'task'; readonly event: TaskEvent } | { readonly kind: 'plan'; readonly event: PlanEvent };

/** The position of a stream when it broke. */
interface Place {
  last: number | undefined;
  pauseMs: number;
  failures: number;
}

/**
 * Changes of tasks, without end. A broken stream is opened again after the last event that was yielded, for as long as it
 * takes; only the first connection gives up after the retries of the client. Before the first event there is no id to
 * continue from, so changes during a break then are missed.
 *
 * @throws WritApiError when the server refuses (INVALID_ARGUMENT: the id is too old to be complete), WritConnectionError
 */
export async function* events(options: EventsOptions, settings: Settings): AsyncGenerator<TaskEvent, void> {
  for await (const change of changes(options, settings)) if (change.kind === 'task') yield change.event;
}

/** The same with the changes of plans, which have no id. Throws as `events`. */
export async function* changes({ after, signal, silenceMs = 45_000 }: EventsOptions, settings: Settings): AsyncGenerator<Change, void> {
  const place: Place = { last: after, pauseMs: 0, failures: 0 };
  let opened = false;
  while (signal?.aborted !== true) {
    try {
      for await (const change of oneStream(place, signal, silenceMs, settings)) {
        opened = true;
        if (change !== 'open') yield change;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!opened && place.failures >= settings.retries) throw error;
      const pause = pauseAfter(error, place.failures, settings.random);
      if (pause === undefined) throw error;
      place.pauseMs = Math.max(place.pauseMs, pause);
    }
    await sleep(Math.max(place.pauseMs, backoffMs(place.failures, settings.random)), signal).catch(() => undefined);
    place.failures += 1;
  }
}

/** One connection, until the server ends it or it breaks. */
async function* oneStream(place: Place, signal: AbortSignal | undefined, silenceMs: number, settings: Settings): AsyncGenerator<Change | 'open'> {
  const headers = { accept: 'text/event-stream', ...(place.last === undefined ? {} : { 'last-event-id': String(place.last) }) };
  const chunks = streamed({ method: 'GET', path: '/v1/events', headers, signal, repeatable: true }, settings, silenceMs);
  for await (const sent of serverSentOf(chunks)) {
    place.failures = 0;
    if (sent.kind === 'retry') place.pauseMs = sent.ms;
    yield 'open';
    if (sent.kind === 'retry') continue;
    if (sent.event === 'task') {
      const event = parsed<TaskEvent>(sent.data);
      yield { kind: 'task', event };
      place.last = event.id;
    } else if (sent.event === 'plan') {
      yield { kind: 'plan', event: parsed<PlanEvent>(sent.data) };
    } else if (sent.event === 'problem') {
      throw new WritApiError(parsed<Problem>(sent.data));
    } else if (sent.event === 'dropped') {
      return;
    }
  }
}

function parsed<T>(data: string): T {
  try {
    return JSON.parse(data) as T;
  } catch (error) {
    throw new WritConnectionError('the server sent an event that is no JSON', { cause: error });
  }
}
