/** The offset of a time zone from UTC. All times here are whole minutes since 1970: clocks are not changed by seconds any more. */
export interface Zone {
  /** Minutes to add to UTC for the wall clock. */
  offset(minute: number): number;
}

const MINUTE = 60_000;
const DAY = 24 * 60;

/** A time zone by its IANA name; `undefined` when there is none of that name. */
export function zoneOf(name: string): Zone | undefined {
  // Node takes offsets (`+02:00`) as names as well; they say nothing about daylight saving, and UTC does for all of them.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: name, calendar: 'gregory', hourCycle: 'h23', ...DIGITS });
  } catch {
    return undefined;
  }
  return {
    offset(minute) {
      const parts = Object.fromEntries(format.formatToParts(minute * MINUTE).map(({ type, value }) => [type, Number(value)]));
      const { year = 0, month = 1, day = 1, hour = 0, minute: minutes = 0 } = parts;
      return Math.floor(Date.UTC(year, month - 1, day, hour, minutes) / MINUTE) - minute;
    },
  };
}

const DIGITS = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;

/** What the wall clock shows, as if it were UTC. */
export function wallOf(zone: Zone, minute: number): number {
  return minute + zone.offset(minute);
}

/** When the wall clock shows this: once, twice (clocks set back; earlier first), or never (clocks set forward). */
export function minutesOfWall(zone: Zone, wall: number): readonly number[] {
  const [before, after] = offsetsAround(zone, wall);
  return [...new Set([wall - before, wall - after])].filter((minute) => wallOf(zone, minute) === wall).sort((a, b) => a - b);
}

/** The first minute after the gap that swallows this wall time. */
export function endOfGap(zone: Zone, wall: number): number {
  const [before, after] = offsetsAround(zone, wall);
  let [low, high] = [wall - after, wall - before];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offset(middle) === after) high = middle;
    else low = middle + 1;
  }
  return low;
}

function offsetsAround(zone: Zone, wall: number): readonly [number, number] {
  return [zone.offset(wall - DAY), zone.offset(wall + DAY)];
}
