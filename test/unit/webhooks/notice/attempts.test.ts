import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AttemptsBefore, afterAttempt, GIVE_UP_MS, LONGEST_WAIT_MS, MIN_ATTEMPTS, waitAfter } from '../../../../src/webhooks/notice/attempts.ts';

const chance = fc.double({ min: 0, max: 1, noNaN: true });
const failed = { kind: 'failed', problem: 'the receiver answered 500' } as const;
const NEW: AttemptsBefore = { attempts: 0, firstAt: undefined };

/** Attempts that all fail, each exactly when it is due; the times of all of them. */
function tryUntilDead(chances: readonly number[], start: number): { readonly times: readonly number[]; readonly attempts: number } {
  let before = NEW;
  let now = start;
  const times: number[] = [];
  for (;;) {
    times.push(now);
    const after = afterAttempt(before, failed, now, chances[times.length % chances.length] ?? 0);
    if (after.state === 'dead') return { times, attempts: after.attempts };
    if (after.state === 'delivered') throw new Error('a failed attempt delivers nothing');
    before = after;
    now = after.nextAt;
  }
}

describe('the attempts of a notice', () => {
  it('is delivered by an answer of 2xx, whatever failed before', () => {
    expect(afterAttempt({ attempts: 30, firstAt: 1 }, { kind: 'taken' }, 2, 0)).toEqual({ state: 'delivered' });
  });

  it('dies at once when the receiver says 410', () => {
    expect(afterAttempt(NEW, { kind: 'gone' }, 7, 0)).toMatchObject({ state: 'dead', attempts: 1, firstAt: 7 });
  });

  it('waits 5 s, doubling to an hour', () => {
    expect([1, 2, 3, 10, 11, 5000].map((attempts) => waitAfter(attempts, 0))).toEqual([5_000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000]);
  });

  it('keeps to the time that the receiver asks for, up to an hour', () => {
    expect(waitAfter(1, 0, 60)).toBe(60_000);
    expect(waitAfter(5, 0, 1)).toBe(80_000);
    expect(waitAfter(1, 0, 1e9)).toBe(3_600_000);
  });

  it('is tried for exactly 24 hours, the last time at their end', () => {
    fc.assert(
      fc.property(fc.array(chance, { minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: 2 ** 41 }), (chances, start) => {
        const { times, attempts } = tryUntilDead(chances, start);
        expect(times.at(-1)).toBe(start + GIVE_UP_MS);
        expect(attempts).toBe(times.length);
        expect(attempts).toBeGreaterThanOrEqual(MIN_ATTEMPTS);
        expect(attempts).toBeLessThan(50);
      }),
    );
  });

  it('never waits longer than the longest wait, and never into the past', () => {
    fc.assert(
      fc.property(fc.nat(10_000), chance, fc.nat(1_000_000), fc.nat(2 ** 31), (attempts, luck, retryAfterS, elapsed) => {
        const now = 1_000_000 + elapsed;
        const after = afterAttempt({ attempts, firstAt: 1_000_000 }, { ...failed, retryAfterS }, now, luck);
        if (after.state !== 'pending') return;
        expect(after.nextAt).toBeGreaterThan(now);
        expect(after.nextAt - now).toBeLessThanOrEqual(LONGEST_WAIT_MS);
      }),
    );
  });

  it('does not die of a clock that jumps a day ahead', () => {
    expect(afterAttempt({ attempts: 1, firstAt: 0 }, failed, GIVE_UP_MS * 2, 0)).toMatchObject({ state: 'pending', attempts: 2 });
    expect(afterAttempt({ attempts: MIN_ATTEMPTS - 1, firstAt: 0 }, failed, GIVE_UP_MS * 2, 0)).toMatchObject({ state: 'dead', attempts: MIN_ATTEMPTS });
  });
});
