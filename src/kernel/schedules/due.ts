import type { Occurrences } from './occurrence.ts';

/** Which planned times a schedule has reached, and what becomes of each. Minutes are whole minutes since 1970. */
export interface Due {
  /** Planned times that are fired, oldest first. */
  readonly fire: readonly number[];
  /** The newest planned time that is left out because it was missed, and those before it. */
  readonly skipped: number | undefined;
}

/** A firing that begins later than this after its planned time was missed: nobody was there to make it. */
export const MISSED_AFTER_MIN = 1;

/** So many missed firings are made up for at most; the newest ones. */
export const MAX_MADE_UP = 100;

export type MissedPolicy = 'latest' | 'all' | 'skip';

/** How many of the missed times each policy makes up for. `latest` does so only where no firing is on time. */
const MADE_UP = {
  skip: () => 0,
  latest: (onTime) => (onTime > 0 ? 0 : 1),
  all: () => MAX_MADE_UP,
} satisfies Record<MissedPolicy, (onTime: number) => number>;

/**
 * What a schedule owes in (after, now]: everything that is on time, and of what was missed as much as its policy says
 * (docs/protocol.md 11).
 *
 * @param after up to where everything was decided
 */
export function dueOf(times: Occurrences, after: number, now: number, missed: MissedPolicy): Due {
  const late = Math.max(after, now - MISSED_AFTER_MIN - 1);
  const onTime = newest(times, late, now, MAX_MADE_UP);
  const most = MADE_UP[missed](onTime.length);
  const madeUp = newest(times, after, late, most);
  const skipped = times.lastIn(after, (madeUp[0] ?? late + 1) - 1);
  return { fire: [...madeUp, ...onTime], skipped };
}

/** The newest planned times in (after, until], oldest first. */
function newest(times: Occurrences, after: number, until: number, most: number): readonly number[] {
  const found: number[] = [];
  let last = until;
  while (found.length < most) {
    const one = last > after ? times.lastIn(after, last) : undefined;
    if (one === undefined) break;
    found.unshift(one);
    last = one - 1;
  }
  return found;
}
