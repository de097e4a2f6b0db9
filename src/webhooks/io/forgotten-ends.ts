import type { EndedTask } from './collect-notices.ts';

/** After the last of these an end is told when somebody pushes its task again: whatever comes back by itself is back by then. */
const PAUSES_MS = [5_000, 20_000, 80_000, 320_000, 1_280_000, 3_600_000];
/** Of more than these the oldest go. */
const MAX_ENDS = 100_000;

/** Ends of tasks of which Redis knows nothing any more, and which it may know again: a worker writes them back from its journal (docs/protocol.md 7). */
export interface ForgottenEnds {
  /** These were looked at just now; of some of them nothing is known. */
  looked(ended: readonly EndedTask[], forgotten: readonly EndedTask[], now: number): void;
  /** Those that it is time to look at again. */
  due(now: number): readonly EndedTask[];
  /** None of them ended before this, milliseconds since 1970; `undefined` without any. */
  since(): number | undefined;
}

interface Waiting {
  readonly end: EndedTask;
  readonly looks: number;
  readonly dueAt: number;
}

/** `undefined` after the last look. */
function nextLook(end: EndedTask, looks: number, now: number): Waiting | undefined {
  const pause = PAUSES_MS[looks];
  return pause === undefined ? undefined : { end, looks: looks + 1, dueAt: now + pause };
}

/** `now` is of a steady clock, in milliseconds. */
export function forgottenEnds(): ForgottenEnds {
  const waiting = new Map<string, Waiting>();
  let since: number | undefined;

  function keep(one: Waiting): void {
    const [oldest] = waiting.size < MAX_ENDS ? [] : waiting.keys();
    if (oldest !== undefined) waiting.delete(oldest);
    waiting.set(one.end.taskId, one);
    since = Math.min(since ?? one.end.at, one.end.at);
  }

  return {
    looked(ended, forgotten, now) {
      const before = new Map(ended.flatMap(({ taskId }) => [[taskId, waiting.get(taskId)] as const]));
      for (const { taskId } of ended) waiting.delete(taskId);
      if (waiting.size === 0) since = undefined;
      for (const end of forgotten) {
        const was = before.get(end.taskId);
        // A look before its time, by one whose notes could not be written, is none of these.
        const next = was !== undefined && was.dueAt > now ? was : nextLook(end, was?.looks ?? 0, now);
        if (next !== undefined) keep(next);
      }
    },
    due: (now) => [...waiting.values()].filter(({ dueAt }) => dueAt <= now).map(({ end }) => end),
    since: () => since,
  };
}
