import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWalk, SHOW_MS } from '../../../../processors/plan/walk.ts';
import { testClock } from '../../../fixtures/authority/world.ts';

const HOLDER = { signal: new AbortController().signal, lockIsFresh: () => true };

function walkOf(answers: readonly boolean[] = []) {
  const clock = testClock();
  const written: number[] = [];
  const walk = createWalk({
    delivery: HOLDER,
    monotonic: clock.monotonic,
    async write({ stepsDone }) {
      written.push(stepsDone);
      return answers[written.length - 1] ?? false;
    },
  });
  const at = (stepsDone: number) => ({ state: 'running', stepsDone, current: undefined, error: undefined, result: undefined }) as const;
  return { clock, written, walk, show: (stepsDone: number) => walk.show(at(stepsDone)) };
}

describe('the view of a plan that walks', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is written for the first step at once, and then every 250 ms at most, with the newest', async () => {
    const { clock, written, show, walk } = walkOf();
    await show(0);
    for (let step = 1; step <= 5; step += 1) await show(step);
    expect(written).toEqual([0]);
    clock.advance(SHOW_MS);
    await vi.advanceTimersByTimeAsync(SHOW_MS);
    expect(written).toEqual([0, 5]);
    await show(6);
    await walk.shown();
    expect(written).toEqual([0, 5, 6]);
    await walk.shown();
    expect(written).toEqual([0, 5, 6]);
  });

  it('tells of a cancel', async () => {
    const { show, walk, clock } = walkOf([false, true]);
    await show(0);
    expect(walk.cancelAsked).toBe(false);
    clock.advance(SHOW_MS);
    await show(1);
    expect(walk.cancelAsked).toBe(true);
  });

  it('is not written any more when the delivery has ended', async () => {
    const { show, walk, written } = walkOf();
    await show(0);
    await show(1);
    await walk.end();
    await vi.advanceTimersByTimeAsync(10 * SHOW_MS);
    expect(written).toEqual([0]);
  });
});

describe('the answers of a walk', () => {
  it('are kept when all of them are, and a failure of one is met by whoever relies on it', async () => {
    const { walk } = walkOf();
    expect([walk.isOnItsWay, await walk.kept()]).toEqual([false, true]);
    walk.keeps(Promise.resolve(true));
    expect([walk.isOnItsWay, await walk.kept()]).toEqual([true, true]);
    walk.keeps(Promise.resolve(false));
    walk.keeps(Promise.resolve(true));
    expect(await walk.kept()).toBe(false);
    const { walk: other } = walkOf();
    other.keeps(Promise.reject(new Error('the disk is full')));
    await expect(other.kept()).rejects.toThrow('the disk is full');
    await other.end();
  });
});
