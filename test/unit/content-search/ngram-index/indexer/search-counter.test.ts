import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSearchCounter } from '../../../../../src/content-search/ngram-index/indexer/search-counter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function rig(idleBoostMs: number, every = 100) {
  const boosts: boolean[] = [];
  let due = 0;
  const asked = createSearchCounter({ idleBoostMs, setBoost: (on) => boosts.push(on), periods: [{ searches: every, due: () => (due += 1) }] });
  return { asked, boosts, due: () => due };
}

describe('what a host makes of searches', () => {
  it('lets a build run at full speed when no search has come for a while, and no longer than that', { tags: ['FR-LSI-BG-32'] }, () => {
    const { asked, boosts } = rig(1000);
    asked.start();
    vi.advanceTimersByTime(999);
    expect(boosts).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(boosts).toEqual([true]);
    asked.count(1);
    vi.advanceTimersByTime(900);
    asked.count(3);
    vi.advanceTimersByTime(999);
    expect(boosts).toEqual([true, false, false]);
    vi.advanceTimersByTime(1);
    expect(boosts).toEqual([true, false, false, true]);
    asked.count(1);
    asked.stop();
    vi.advanceTimersByTime(10_000);
    expect(boosts.at(-1)).toBe(false);
  });

  it('never throttles a build when the time is 0', () => {
    const { asked, boosts } = rig(0);
    asked.start();
    asked.count(5);
    expect(boosts).toEqual([true]);
  });

  it('does what is due after every so many searches, however they are told', { tags: ['FR-LSI-BG-06.2', 'LSI-CFG-09'] }, () => {
    const { asked, due } = rig(0);
    asked.count(99);
    expect(due()).toBe(0);
    asked.count(1);
    expect(due()).toBe(1);
    asked.count(250);
    expect(due()).toBe(2);
    asked.count(49);
    expect(due()).toBe(2);
    asked.count(1);
    expect(due()).toBe(3);
  });
});
