import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAsked } from '../../../../../src/content-search/ngram-index/indexer/asked.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function rig(idleBoostMs: number, every = 100) {
  const boosts: boolean[] = [];
  let due = 0;
  const asked = createAsked({ idleBoostMs, setBoost: (on) => boosts.push(on), periods: [{ searches: every, due: () => (due += 1) }] });
  return { asked, boosts, due: () => due };
}

describe('what a host makes of searches', () => {
  it('lets a build run at full speed when no search has come for a while, and no longer than that [FR-LSI-BG-32]', () => {
    const { asked, boosts } = rig(1000);
    asked.start();
    vi.advanceTimersByTime(999);
    expect(boosts).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(boosts).toEqual([true]);
    asked.told(1);
    vi.advanceTimersByTime(900);
    asked.told(3);
    vi.advanceTimersByTime(999);
    expect(boosts).toEqual([true, false, false]);
    vi.advanceTimersByTime(1);
    expect(boosts).toEqual([true, false, false, true]);
    asked.told(1);
    asked.stop();
    vi.advanceTimersByTime(10_000);
    expect(boosts.at(-1)).toBe(false);
  });

  it('never throttles a build when the time is 0', () => {
    const { asked, boosts } = rig(0);
    asked.start();
    asked.told(5);
    expect(boosts).toEqual([true]);
  });

  it('does what is due after every so many searches, however they are told [FR-LSI-BG-06.2, LSI-CFG-09]', () => {
    const { asked, due } = rig(0);
    asked.told(99);
    expect(due()).toBe(0);
    asked.told(1);
    expect(due()).toBe(1);
    asked.told(250);
    expect(due()).toBe(2);
    asked.told(49);
    expect(due()).toBe(2);
    asked.told(1);
    expect(due()).toBe(3);
  });
});
