import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStepBeat } from '../../../processors/step-beat.ts';

const TIMES = { lockMs: 9_000, renewMs: 3_000 };

describe('the heartbeat of a step without a job', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Time that passes while the process stands still: no timer runs. */
  function setUp() {
    let stoodStill = 0;
    let latency = 0;
    const began = Date.now();
    const beats: string[] = [];
    const presence = {
      beat: async (name: string) => {
        beats.push(name);
        stoodStill += latency;
      },
      gone: async () => undefined,
      isAlive: async () => true,
    };
    const beat = createStepBeat('t_step', { monotonic: () => Date.now() - began + stoodStill }, { presence, times: TIMES });
    return {
      beat,
      beats,
      standStill(ms: number) {
        stoodStill += ms;
      },
      answerAfter(ms: number) {
        latency = ms;
      },
    };
  }

  it('is fresh as long as it is heard, and begins when the plan is parked', async () => {
    const { beat, beats } = setUp();
    expect(beat.isFresh()).toBe(false);
    await beat.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([beat.isFresh(), beats.length]).toEqual([true, 21]);
    beat.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(beats.length).toBe(21);
  });

  it('is not fresh again when it had stopped for the life of a lock, though it is heard', async () => {
    const { beat, standStill } = setUp();
    await beat.start();
    standStill(9_001);
    expect(beat.isFresh()).toBe(false);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(beat.isFresh()).toBe(false);
    beat.stop();
  });

  it('nor when an answer was so late that the beat before it had ended', async () => {
    const { beat, answerAfter } = setUp();
    await beat.start();
    answerAfter(9_001);
    await vi.advanceTimersByTimeAsync(3_000);
    answerAfter(0);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(beat.isFresh()).toBe(false);
    beat.stop();
  });

  it('is fresh again when it was late by less than that', async () => {
    const { beat, standStill } = setUp();
    await beat.start();
    standStill(6_000);
    expect(beat.isFresh()).toBe(false);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(beat.isFresh()).toBe(true);
    beat.stop();
  });
});
