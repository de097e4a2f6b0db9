import { describe, expect, it } from 'vitest';
import { wallClock } from '../../../../src/kernel/schedules/cron.ts';

describe('a cron expression', () => {
  it.each([
    ['0 0 30 2 *', 'the day of the month "30" never comes in the month "2"'],
    ['* * * *', 'must have five fields: minute, hour, day of the month, month, day of the week'],
    ['0 0 2 * * *', 'must have five fields: minute, hour, day of the month, month, day of the week'],
    ['', 'must have five fields: minute, hour, day of the month, month, day of the week'],
    ['H 2 * * *', 'the minute "H" is none: 0 to 59, and lists (1,3), ranges (1-3) and steps (*/2) of them'],
    ['61 * * * *', 'the minute "61" is none: 0 to 59, and lists (1,3), ranges (1-3) and steps (*/2) of them'],
    ['0 25 * * *', 'the hour "25" is none: 0 to 23, and lists (1,3), ranges (1-3) and steps (*/2) of them'],
    ['0 5-2 * * *', 'the hour "5-2" is none: 0 to 23, and lists (1,3), ranges (1-3) and steps (*/2) of them'],
    ['0 0 ? * *', 'the day of the month "?" is none: 1 to 31, or L for the last, and lists (1,3), ranges (1-3) and steps (*/2) of them'],
    ['0 0 * FOO *', 'the month "FOO" is none: 1 to 12, or JAN to DEC, and lists (1,3), ranges (1-3) and steps (*/2) of them'],
    [
      '0 0 * * MONDAY',
      'the day of the week "MONDAY" is none: 0 to 7 with Sunday as 0 and 7, or SUN to SAT, and lists (1,3), ranges (1-3) and steps (*/2) of them',
    ],
    ['@daily', 'must have five fields: minute, hour, day of the month, month, day of the week; @daily is "0 0 * * *"'],
    ['@Weekly', 'must have five fields: minute, hour, day of the month, month, day of the week; @Weekly is "0 0 * * 0"'],
  ])('%j is refused with the field that is wrong', (cron, why) => {
    expect(() => wallClock(cron)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field: 'cron', message: `cron: ${why}` }));
  });

  it.each(['0 2 * * MON-FRI', '*/5 * L * *', '0 0 29 2 *', '0 0 * JAN,JUL SUN#2', '  0 2   * * *  '])('%j has a next time', (cron) => {
    expect(wallClock(cron).after(0)).toBeGreaterThan(0);
  });
});
