import type { RunEvent } from '../search/types.ts';

/** The answer as it grows: events come in their order and are counted. */
export interface Gathering {
  /** Takes events that come next; false when no more are wanted. */
  take(events: readonly RunEvent[]): boolean;
  /** Gives back all events that are behind the first `count`. */
  takeBack(count: number): readonly RunEvent[];
  readonly count: number;
  readonly events: readonly RunEvent[];
  /** The event behind the last one of the answer, when it was seen (FR-LSI-TRUNC-01a). */
  readonly beyond: RunEvent | undefined;
}

/** What the JSON of an event has beside its path and its text, at least. */
const EVENT_JSON_MIN = '{"type":"match","data":{"path":{"text":""},"line_number":1,"lines":{"text":""}}},'.length;

/** Collects at most `maxEvents` events and no more than `maxBytes` bytes of JSON, by a count that never exceeds the real one; looks one event further. */
export function gathering(maxEvents: number, maxBytes = Number.POSITIVE_INFINITY): Gathering {
  const events: RunEvent[] = [];
  let bytes = 0;
  let beyond: RunEvent | undefined;
  const sizeOf = ({ path, text }: RunEvent): number => EVENT_JSON_MIN + path.length + text.length;

  return {
    take(more) {
      for (const event of more) {
        if (beyond !== undefined) return false;
        if (events.length >= maxEvents || bytes > maxBytes) {
          beyond = event;
          return false;
        }
        events.push(event);
        bytes += sizeOf(event);
      }
      return beyond === undefined;
    },
    takeBack(count) {
      const back = events.splice(count);
      for (const event of back) bytes -= sizeOf(event);
      return back;
    },
    get count() {
      return events.length;
    },
    events,
    get beyond() {
      return beyond;
    },
  };
}
