import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isHourly, type OccurrenceRule, occurrencesOf } from '../../../../src/kernel/schedules/occurrence.ts';
import { wallOf, zoneOf } from '../../../../src/kernel/schedules/zone.ts';
import { cases } from '../../../support/oracle-runs.ts';

const MINUTE = 60_000;
const at = (text: string): number => Date.parse(text) / MINUTE;
const shown = (minute: number | undefined): string | undefined => (minute === undefined ? undefined : new Date(minute * MINUTE).toISOString().slice(0, 16));

function rule(cron: string, over: Partial<OccurrenceRule> = {}): OccurrenceRule {
  return { cron, tz: 'Europe/Berlin', gap: 'after', fold: 'first', ...over };
}

function list(one: OccurrenceRule, from: string, count: number): readonly (string | undefined)[] {
  const times = occurrencesOf(one);
  const found: (number | undefined)[] = [];
  let minute: number | undefined = at(from);
  while (minute !== undefined && found.length < count) {
    minute = times.after(minute);
    found.push(minute);
  }
  return found.map(shown);
}

describe('the times of a schedule', () => {
  it('are those of the wall clock', () => {
    expect(list(rule('0 2 * * *'), '2026-06-01T00:00Z', 2)).toEqual(['2026-06-02T00:00', '2026-06-03T00:00']);
    expect(list(rule('0 2 * * *', { tz: 'UTC' }), '2026-06-01T02:00Z', 1)).toEqual(['2026-06-02T02:00']);
    expect(list(rule('30 9 * * MON-FRI', { tz: 'America/New_York' }), '2026-06-05T20:00Z', 1)).toEqual(['2026-06-08T13:30']);
  });

  // Berlin: 2026-03-29 02:00 becomes 03:00 (01:00Z), 2026-10-25 03:00 becomes 02:00 (01:00Z).
  it('that clocks set forward leave out come at the end of the gap, once, or not at all', () => {
    expect(list(rule('30 2 * * *'), '2026-03-28T12:00Z', 2)).toEqual(['2026-03-29T01:00', '2026-03-30T00:30']);
    expect(list(rule('30 2 * * *', { gap: 'skip' }), '2026-03-28T12:00Z', 1)).toEqual(['2026-03-30T00:30']);
    expect(list(rule('*/30 2,3 * * *'), '2026-03-28T12:00Z', 3)).toEqual(['2026-03-29T01:00', '2026-03-29T01:30', '2026-03-30T00:00']);
  });

  it('that clocks set back show twice come the first time, or both times', () => {
    expect(list(rule('30 2 * * *'), '2026-10-24T12:00Z', 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    expect(list(rule('30 2 * * *', { fold: 'both' }), '2026-10-24T12:00Z', 3)).toEqual(['2026-10-25T00:30', '2026-10-25T01:30', '2026-10-26T01:30']);
    expect(list(rule('*/30 * * * *', { fold: 'both' }), '2026-10-25T00:00Z', 4)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
    ]);
    expect(list(rule('30 * * * *'), '2026-10-25T00:30Z', 1)).toEqual(['2026-10-25T02:30']);
  });

  it('skip the day that a country skipped, and go by half hours where a clock does', () => {
    expect(list(rule('0 12 * * *', { tz: 'Pacific/Apia', gap: 'skip' }), '2011-12-29T23:00Z', 1)).toEqual(['2011-12-30T22:00']);
    expect(list(rule('45 1 * * *', { tz: 'Australia/Lord_Howe', fold: 'both' }), '2026-04-04T12:00Z', 2)).toEqual(['2026-04-04T14:45', '2026-04-04T15:15']);
  });

  it.each(['Europe/Nowhere', '+02:00', ''])('are refused for the time zone %j', (tz) => {
    expect(() => occurrencesOf(rule('0 2 * * *', { tz }))).toThrow('there is no time zone');
  });

  it('go by the hours that pass where every hour is meant', () => {
    expect(['*/5 * * * *', '0 */2 * * *', '0 2 * * *'].map(isHourly)).toEqual([true, true, false]);
  });
});

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/St_Johns', 'Pacific/Apia', 'Asia/Kathmandu'];
const number = (min: number, max: number) => fc.integer({ min, max }).map(String);
const field = (min: number, max: number) => fc.oneof(fc.constant('*'), number(min, max), fc.constant('*/7'));
const rules = fc.record({
  cron: fc
    .tuple(field(0, 59), field(0, 23), fc.constantFrom('*', '1', '25-31'), fc.constantFrom('*', '3,10'), fc.constantFrom('*', 'SUN'))
    .map((all) => all.join(' ')),
  tz: fc.constantFrom(...ZONES),
  gap: fc.constantFrom('after' as const, 'skip' as const),
  fold: fc.constantFrom('first' as const, 'both' as const),
});
/** Hours around the changes of clocks of 2026, and any other. */
const starts = fc.oneof(
  fc
    .constantFrom('2026-03-29T01:00Z', '2026-10-25T01:00Z', '2026-03-08T07:00Z', '2026-11-01T06:00Z', '2026-04-04T15:00Z', '2026-10-03T15:30Z')
    .chain((text) => fc.integer({ min: -400, max: 400 }).map((by) => at(text) + by)),
  fc.integer({ min: at('2026-01-01T00:00Z'), max: at('2027-01-01T00:00Z') }),
);

/** The same by trying every minute: whether its wall time is one of the cron expression, and the first or the only one. */
function bruteNext(one: OccurrenceRule, from: number, until: number): number | undefined {
  const zone = zoneOf(one.tz);
  if (zone === undefined) throw new Error('no such zone');
  const onWall = occurrencesOf({ ...one, tz: 'UTC' });
  const matches = (wall: number): boolean => onWall.after(wall - 1) === wall;
  for (let minute = from + 1; minute <= until; minute += 1) {
    const [wall, before] = [wallOf(zone, minute), wallOf(zone, minute - 1)];
    const isSecond = [30, 60, 120].some((by) => wallOf(zone, minute - by) === wall);
    if (matches(wall) && !(one.fold === 'first' && isSecond)) return minute;
    const jumped = Array.from({ length: Math.max(0, wall - before - 1) }, (_, by) => before + 1 + by);
    if (one.gap === 'after' && jumped.some(matches)) return minute;
  }
  return undefined;
}

describe('the next time of any schedule', () => {
  it('is the one that a look at every minute finds', () => {
    fc.assert(
      fc.property(rules, starts, (one, from) => {
        const until = from + 300;
        const next = occurrencesOf(one).after(from);
        expect(shown(next !== undefined && next <= until ? next : undefined)).toBe(shown(bruteNext(one, from, until)));
      }),
      { numRuns: cases(10) },
    );
  });

  it('is the last one of the time before it', () => {
    fc.assert(
      fc.property(rules, starts, fc.integer({ min: 0, max: 100_000 }), (one, from, length) => {
        const times = occurrencesOf(one);
        const last = times.lastIn(from, from + length);
        const next = times.after(last ?? from);
        expect(next === undefined || next > from + length).toBe(true);
        if (last !== undefined) expect([last > from, last <= from + length, times.after(last - 1)]).toEqual([true, true, last]);
      }),
      { numRuns: cases(25) },
    );
  });
});
