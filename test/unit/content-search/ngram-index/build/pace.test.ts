import { describe, expect, it } from 'vitest';
import { createPace, Halted, type PaceParts, type PaceSettings } from '../../../../../src/content-search/ngram-index/build/pace.ts';

const SETTINGS: PaceSettings = { timeoutMs: 1e12, maxCpuPercent: 50, throttleMs: 0 };

/** A job on a clock of its own: each file takes so long. */
function worked(
  files: number,
  msOfFile: number,
  settings: Partial<PaceSettings>,
  parts: Partial<PaceParts> = {},
): { busy: number; slept: number; sleeps: number } {
  let [clock, slept, sleeps] = [0, 0, 0];
  const sleep = (ms: number): void => {
    clock += ms;
    slept += ms;
    sleeps += 1;
  };
  const pace = createPace({ ...SETTINGS, ...settings }, { monotonicMs: () => clock, sleep, isStopped: () => false, isBoosted: () => false, ...parts });
  for (let file = 0; file < files; file += 1) {
    clock += msOfFile;
    pace.step();
  }
  return { busy: clock - slept, slept, sleeps };
}

describe('the pace of a job', () => {
  it.each([1, 10, 25, 50, 75, 99])('keeps the share of the processor at %i percent', { tags: ['FR-LSI-BG-31.1'] }, (maxCpuPercent) => {
    for (const ms of [0.1, 3, 25, 400]) {
      const { busy, slept } = worked(1000, ms, { maxCpuPercent });
      const share = busy / (busy + slept);
      expect(share).toBeLessThanOrEqual(maxCpuPercent / 100 + 0.02);
      expect(share).toBeGreaterThan(maxCpuPercent / 100 - 0.02);
    }
  });

  it('sleeps between batches of files at full share too', { tags: ['FR-LSI-BG-31.2'] }, () => {
    expect(worked(640, 0.01, { maxCpuPercent: 100, throttleMs: 10 })).toMatchObject({ slept: 100, sleeps: 10 });
    expect(worked(640, 0.01, { maxCpuPercent: 100, throttleMs: 0 })).toMatchObject({ slept: 0 });
  });

  it('does not sleep while nobody searches, and sleeps again when somebody does', { tags: ['FR-LSI-BG-32'] }, () => {
    expect(worked(640, 5, { throttleMs: 10 }, { isBoosted: () => true })).toMatchObject({ slept: 0 });
    let steps = 0;
    const isBoosted = (): boolean => {
      steps += 1;
      return steps <= 320;
    };
    const { busy, slept } = worked(640, 5, {}, { isBoosted });
    expect(slept / busy).toBeCloseTo(0.5, 1);
  });

  it('halts when it is asked to and when its time is over, boosted or not', { tags: ['FR-LSI-BUD-05'] }, () => {
    for (const boosted of [true, false]) {
      const isBoosted = (): boolean => boosted;
      expect(() => worked(1, 1, {}, { isBoosted, isStopped: () => true })).toThrow(new Halted('STOPPED'));
      expect(() => worked(100, 1, { timeoutMs: 50, maxCpuPercent: 100 }, { isBoosted })).toThrow(new Halted('TIME'));
    }
  });

  it('counts the time that it slept as time of the job', () => {
    expect(() => worked(70, 1, { timeoutMs: 100, maxCpuPercent: 50 })).toThrow(Halted);
    expect(worked(40, 1, { timeoutMs: 100, maxCpuPercent: 50 }).busy).toBeCloseTo(40);
  });
});
