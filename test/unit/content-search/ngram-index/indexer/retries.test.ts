import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRetries } from '../../../../../src/content-search/ngram-index/indexer/retries.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000 }));
afterEach(() => void vi.useRealTimers());

describe('what is tried again', () => {
  it('waits twice as long after each failure up to a limit, and begins anew when it worked', () => {
    const retries = createRetries(Date.now, { firstMs: 100, mostMs: 500 });
    const times: number[] = [];
    const fail = (): void => retries.later('it', () => times.push(Date.now()));
    for (let at = 0; at < 5; at += 1) {
      const before = Date.now();
      fail();
      fail();
      vi.runAllTimers();
      times[times.length - 1] = Date.now() - before;
    }
    expect(times).toEqual([100, 200, 400, 500, 500]);
    retries.worked('it');
    fail();
    vi.advanceTimersByTime(100);
    expect(times).toHaveLength(6);
  });

  it('is done at the time that was named last, and not at all after a stop', () => {
    const retries = createRetries(Date.now, { firstMs: 1, mostMs: 1 });
    const done: string[] = [];
    retries.at('it', 2_000, () => done.push('first'));
    retries.at('it', 1_500, () => done.push('second'));
    retries.later('other', () => done.push('other'));
    vi.advanceTimersByTime(499);
    expect(done).toEqual(['other']);
    vi.advanceTimersByTime(5_000);
    expect(done).toEqual(['other', 'second']);
    retries.at('it', 0, () => done.push('late'));
    retries.stop();
    vi.advanceTimersByTime(5_000);
    expect(done).toEqual(['other', 'second']);
  });
});
