import { WritError } from '../../core/errors.ts';
import { wallClock } from './cron.ts';
import { endOfGap, minutesOfWall, wallOf, type Zone, zoneOf } from './zone.ts';

/** When a schedule fires. Minutes are whole minutes since 1970. */
export interface Occurrences {
  /** The first minute later than this one; `undefined` when there is none within 100 years. */
  after(minute: number): number | undefined;
  /** The last minute in (after, until]; `undefined` when there is none. */
  lastIn(after: number, until: number): number | undefined;
}

export interface OccurrenceRule {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** IANA name. */
  readonly tz: string;
  /** A wall time that clocks set forward leave out: at the end of the gap, or not at all. */
  readonly gap: 'after' | 'skip';
  /** A wall time that clocks set back show twice. */
  readonly fold: 'first' | 'both';
}

/** No clock of our days is set back by more. */
const NEAR = 4 * 60;
/** A hundred years: a time that never comes ends there. */
const HORIZON = 100 * 366 * 24 * 60;

/**
 * The times of a cron expression in a time zone. The cron expression is read on the wall clock by cron-parser, which is told that it
 * is UTC; what daylight saving makes of a wall time is decided here (docs/protocol.md 11).
 *
 * @throws WritError INVALID_ARGUMENT with the field `cron` or `tz`
 */
export function occurrencesOf({ cron, tz, gap, fold }: OccurrenceRule): Occurrences {
  const zone = knownZone(tz);
  const wall = wallClock(cron);

  const minutesOf = (at: number): readonly number[] => {
    const [first, ...others] = minutesOfWall(zone, at);
    if (first !== undefined) return fold === 'both' ? [first, ...others] : [first];
    return gap === 'skip' ? [] : [endOfGap(zone, at)];
  };

  function after(minute: number): number | undefined {
    const horizon = minute + HORIZON;
    let from = minute;
    for (; isNearChange(zone, from); from += NEAR) {
      const found = withinNear(from);
      if (found !== undefined) return found;
    }
    for (let at = wall.after(wallOf(zone, from)); at !== undefined && at <= horizon; at = wall.after(at)) {
      const [first] = minutesOf(at);
      if (first !== undefined) return first;
    }
    return undefined;
  }

  /** The first in (minute, minute + NEAR], where wall times may come twice: every wall time around is looked at. */
  function withinNear(minute: number): number | undefined {
    const here = wallOf(zone, minute);
    const found: number[] = [];
    for (let at = wall.after(here - NEAR); at !== undefined && at <= here + 2 * NEAR; at = wall.after(at)) found.push(...minutesOf(at));
    const near = found.filter((one) => one > minute && one <= minute + NEAR);
    return near.length === 0 ? undefined : Math.min(...near);
  }

  function lastIn(start: number, until: number): number | undefined {
    // Back in steps that double until something lies in between, then halved: a minute for the densest, a year's worth for the rarest.
    let low = until;
    let step = 1;
    let found: number | undefined;
    do {
      low = Math.max(start, low - step);
      step *= 2;
      found = upTo(low, until);
    } while (found === undefined && low > start);
    let high = until;
    while (found !== undefined && low < high - 1) {
      const middle = Math.floor((low + high) / 2);
      const later = upTo(middle, until);
      if (later === undefined) high = middle;
      else [low, found] = [middle, later];
    }
    return found;
  }

  function upTo(start: number, until: number): number | undefined {
    const next = after(start);
    return next !== undefined && next <= until ? next : undefined;
  }

  return { after, lastIn };
}

function knownZone(tz: string): Zone {
  const zone = zoneOf(tz);
  if (zone === undefined) throw new WritError('INVALID_ARGUMENT', `there is no time zone ${JSON.stringify(tz.slice(0, 100))}`, { field: 'tz' });
  return zone;
}

/** Whether every hour is meant: such a schedule goes by the time that passes and not by the wall clock. */
export function isHourly(cron: string): boolean {
  return (cron.trim().split(/\s+/)[1] ?? '').startsWith('*');
}

/** Whether the clocks are changed so near that the next wall time need not be the next time. */
function isNearChange(zone: Zone, minute: number): boolean {
  return zone.offset(minute - NEAR) !== zone.offset(minute + NEAR);
}
