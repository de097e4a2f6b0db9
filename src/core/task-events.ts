import type { TaskEvent } from '../contracts/index.ts';
import { WritError } from './errors.ts';
import type { TaskEvents } from './ports/index.ts';

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
 * @throws WritError INVALID_ARGUMENT, from `begun` and the iteration, for an id after which events are missing, and from the
 * iteration for a reader that fell so far behind.
 */
export function followEvents(after: number | undefined, signal: AbortSignal, source: EventSource): TaskEvents {
  // "From now on" begins with the call, not with the first step of the iteration.
  const start = startOf(after, source);
  const begun = start.then(() => undefined);
  // Told to whoever asks; a reader may look at one of them only.
  begun.catch(() => undefined);
  return { begun, [Symbol.asyncIterator]: () => read(start, signal, source) };
}

async function startOf(after: number | undefined, source: EventSource): Promise<number> {
  const look = await source.look(after ?? Number.MAX_SAFE_INTEGER);
  if (after !== undefined) assertComplete(after, look);
  return after ?? look.newest;
}

/** @throws WritError INVALID_ARGUMENT */
function assertComplete(at: number, { floor, newest }: EventLook): void {
  if (at < floor || at > newest) throw new WritError('INVALID_ARGUMENT', `events after ${at} are not complete any more; begin anew`, { field: 'after' });
}

async function* read(start: Promise<number>, signal: AbortSignal, source: EventSource): AsyncGenerator<TaskEvent> {
  let at = await start;
  while (!signal.aborted && !source.ended()) {
    // Asked before the look, so that a change in between is not missed.
    const waiting = new AbortController();
    const changed = source.changed(AbortSignal.any([signal, waiting.signal]));
    const look = await source.look(at);
    assertComplete(at, look);
    for (const event of look.events) {
      if (signal.aborted) break;
      yield event;
      at = event.id;
    }
    if (look.events.length > 0) waiting.abort();
    await changed;
  }
}
