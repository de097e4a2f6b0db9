import type { TaskEvent } from '../contracts/index.ts';
import { WritError } from './errors.ts';

/** A look at the stored events: those after an id, and the ids between which they are complete. */
export interface EventLook {
  readonly events: readonly TaskEvent[];
  /** Everything after this id is still stored. */
  readonly floor: number;
  readonly newest: number;
}

export interface EventSource {
  look(after: number): Promise<EventLook>;
  /** Resolves at the next change, at the end of the source, or when the signal fires. */
  changed(signal: AbortSignal): Promise<void>;
  ended(): boolean;
}

/**
 * Events after an id, or from the moment of this call on, until the signal fires or the source ends.
 *
 * @throws WritError INVALID_ARGUMENT, from the iteration, for an id after which events are missing, and for a reader that
 * fell so far behind.
 */
export function followEvents(after: number | undefined, signal: AbortSignal, source: EventSource): AsyncIterable<TaskEvent> {
  // "From now on" begins with the call, not with the first step of the iteration.
  const start = after === undefined ? source.look(Number.MAX_SAFE_INTEGER).then(({ newest }) => newest) : Promise.resolve(after);
  start.catch(() => undefined);
  return read(start, signal, source);
}

async function* read(start: Promise<number>, signal: AbortSignal, source: EventSource): AsyncGenerator<TaskEvent> {
  let at = await start;
  while (!signal.aborted && !source.ended()) {
    // Asked before the look, so that a change in between is not missed.
    const waiting = new AbortController();
    const changed = source.changed(AbortSignal.any([signal, waiting.signal]));
    const { events, floor, newest } = await source.look(at);
    if (at < floor || at > newest) throw new WritError('INVALID_ARGUMENT', `events after ${at} are not complete any more; begin anew`, { field: 'after' });
    for (const event of events) {
      if (signal.aborted) break;
      yield event;
      at = event.id;
    }
    if (events.length > 0) waiting.abort();
    await changed;
  }
}
