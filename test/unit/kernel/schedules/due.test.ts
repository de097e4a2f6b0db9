import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueOf, MAX_MADE_UP, type MissedPolicy } from '../../../../src/kernel/schedules/due.ts';
import { occurrencesOf } from '../../../../src/kernel/schedules/occurrence.ts';

const times = (cron: string) => occurrencesOf({ cron, tz: 'UTC', gap: 'after', fold: 'first' });
const at = (text: string): number => Date.parse(text) / 60_000;

describe('what a schedule owes', () => {
  it('is nothing before its time, and one firing at it', () => {
    expect(dueOf(times('0 2 * * *'), at('2026-06-01T00:00Z'), at('2026-06-01T01:59Z'), 'latest')).toEqual({ fire: [], skipped: undefined });
    expect(dueOf(times('0 2 * * *'), at('2026-06-01T00:00Z'), at('2026-06-01T02:00Z'), 'skip')).toEqual({
      fire: [at('2026-06-01T02:00Z')],
      skipped: undefined,
    });
  });

  it.each<[MissedPolicy, readonly string[], string | undefined]>([
    ['latest', ['2026-06-04T02:00Z'], '2026-06-03T02:00Z'],
    ['all', ['2026-06-02T02:00Z', '2026-06-03T02:00Z', '2026-06-04T02:00Z'], undefined],
    ['skip', [], '2026-06-04T02:00Z'],
  ])('after three days without a kernel is said by the setting %s', (missed, fire, skipped) => {
    const due = dueOf(times('0 2 * * *'), at('2026-06-01T12:00Z'), at('2026-06-04T12:00Z'), missed);
    expect(due).toEqual({ fire: fire.map(at), skipped: skipped && at(skipped) });
  });

  it('makes up for nothing by latest where a firing is on time', () => {
    const [first, second, third] = ['2026-06-01T02:00Z', '2026-06-01T02:01Z', '2026-06-01T02:05Z'].map(at);
    expect(dueOf(times('* * * * *'), at('2026-06-01T01:59Z'), third ?? 0, 'latest')).toEqual({ fire: [(third ?? 0) - 1, third], skipped: (third ?? 0) - 2 });
    expect(dueOf(times('* * * * *'), first ?? 0, second ?? 0, 'latest')).toEqual({ fire: [second], skipped: undefined });
  });

  it('is bounded after a clock that stood a year ahead', () => {
    const now = at('2027-06-01T00:00Z');
    expect(dueOf(times('* * * * *'), at('2026-06-01T00:00Z'), now, 'all').fire).toHaveLength(MAX_MADE_UP + 2);
  });

  it('is each time once or not at all, however often one looks and whatever is missed', () => {
    const looks = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 6 });
    const start = at('2026-06-01T00:00Z');
    fc.assert(
      fc.property(
        fc.constantFrom('*/7 * * * *', '0 */3 * * *', '5 2 * * *'),
        fc.constantFrom('latest' as const, 'all' as const, 'skip' as const),
        looks,
        (cron, missed, steps) => {
          let after = start;
          const fired: number[] = [];
          for (const step of steps) {
            const { fire, skipped } = dueOf(times(cron), after, after + step, missed);
            expect(fire.every((one) => one > after && one <= after + step && (skipped === undefined || one > skipped))).toBe(true);
            fired.push(...fire);
            after += step;
          }
          expect(fired).toEqual([...new Set(fired)].sort((a, b) => a - b));
          const planned = allOf(cron, start, after);
          expect(fired.every((one) => planned.includes(one))).toBe(true);
          if (missed === 'all') expect(fired).toEqual(planned);
        },
      ),
      { numRuns: 10 },
    );
  });
});

function allOf(cron: string, after: number, until: number): readonly number[] {
  const found: number[] = [];
  for (let one = times(cron).after(after); one !== undefined && one <= until; one = times(cron).after(one)) found.push(one);
  return found;
}
