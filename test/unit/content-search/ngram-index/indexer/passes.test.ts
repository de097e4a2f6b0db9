import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPasses, type Passes, type PassesOptions, routineMs } from '../../../../../src/content-search/ngram-index/indexer/passes.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000 }));
afterEach(() => void vi.useRealTimers());

interface Rig {
  readonly passes: Passes;
  /** Kind and time of each pass that was submitted. */
  readonly submitted: (readonly [kind: string, atMs: number])[];
}

function rig(options: Partial<PassesOptions> = {}): Rig {
  const submitted: [string, number][] = [];
  const passes = createPasses({
    now: Date.now,
    random: () => 0,
    pauses: { firstMs: 100, mostMs: 1_000 },
    submit: (kind) => void submitted.push([kind, Date.now()]),
    routineMs: () => undefined,
    ...options,
  });
  return { passes, submitted };
}

/** A pass that takes no time. */
function run({ passes }: Rig, isWell: boolean, during: () => void = () => undefined): void {
  passes.enter();
  passes.begin('reconcile');
  during();
  passes.leave(isWell);
}

describe('the passes of an index', () => {
  it('begin at once when one is needed and none was before', () => {
    const one = rig();
    one.passes.need('reconcile', 'opened');
    expect(one.submitted).toEqual([['reconcile', 1_000]]);
  });

  it('wait twice as long after each one in vain, up to a bound, whoever asks how often', { tags: ['FR-LSI-REC-02'] }, () => {
    const one = rig();
    const pauses: number[] = [];
    for (let at = 0; at < 7; at += 1) {
      const before = Date.now();
      run(one, false, () => one.passes.need('reconcile', 'the watcher is down'));
      for (let more = 0; more < 100; more += 1) one.passes.need('reconcile', 'again');
      vi.advanceTimersByTime(10_000);
      expect(one.submitted).toHaveLength(at + 1);
      pauses.push((one.submitted.at(-1)?.[1] ?? 0) - before);
    }
    expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000]);
    run(one, true);
    one.passes.need('reconcile', 'an ignore file changed');
    expect(one.submitted).toHaveLength(8);
  });

  it('that are well rest as long as they took, so that a storm costs no more than half of the time', () => {
    const one = rig();
    one.passes.enter();
    vi.advanceTimersByTime(300);
    one.passes.leave(true);
    one.passes.need('reconcile', 'an ignore file changed');
    vi.advanceTimersByTime(299);
    expect(one.submitted).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(one.submitted).toEqual([['reconcile', 1_600]]);
  });

  it('are cut at random by up to a half, and never longer than the bound', () => {
    for (const [random, pause] of [
      [0, 100],
      [0.5, 75],
      [0.999, 50],
    ] as const) {
      const one = rig({ random: () => random });
      const before = Date.now();
      run(one, false);
      one.passes.need('build', 'damaged');
      vi.advanceTimersByTime(200);
      expect(Math.round((one.submitted[0]?.[1] ?? 0) - before)).toBeCloseTo(pause, -1);
    }
  });

  it('do what was asked for before they look at the tree, and not what was asked for later', () => {
    const one = rig();
    one.passes.enter();
    one.passes.need('reconcile', 'arming found nothing');
    one.passes.begin('reconcile');
    one.passes.leave(true);
    vi.advanceTimersByTime(10_000);
    expect(one.submitted).toEqual([]);
    run(one, true, () => one.passes.need('reconcile', 'an ignore file changed'));
    vi.advanceTimersByTime(10_000);
    expect(one.submitted).toHaveLength(1);
  });

  it('do not forget a build because the tree was only compared', () => {
    const one = rig();
    one.passes.enter();
    one.passes.need('build', 'damaged');
    one.passes.begin('reconcile');
    one.passes.leave(false);
    vi.advanceTimersByTime(100);
    expect(one.submitted).toEqual([['build', 1_100]]);
  });

  it('come a minute after the last one at least, and take a hundredth of the time at most', () => {
    expect([routineMs('inotify', 100, true), routineMs('inotify', 5_000, true), routineMs('stat', 5_000, true)]).toEqual([60_000, 500_000, 60_000]);
    // Without events nobody else asks again.
    expect([routineMs('stat', 100, false), routineMs('inotify', 100, false), routineMs('none', 100, false)]).toEqual([60_000, undefined, undefined]);
  });

  it('come again although nobody asks, and not after the end', () => {
    const one = rig({ routineMs: (tookMs) => 500 + tookMs });
    run(one, true);
    vi.advanceTimersByTime(500);
    expect(one.submitted).toEqual([['reconcile', 1_500]]);
    run(one, true);
    one.passes.stop();
    vi.advanceTimersByTime(10_000);
    expect(one.submitted).toHaveLength(1);
  });
});
