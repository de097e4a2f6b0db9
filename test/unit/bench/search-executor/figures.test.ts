import { describe, expect, it } from 'vitest';
import { runCase } from '../../../../bench/rounds.ts';
import type { SearchCase } from '../../../../bench/search-executor/cases.ts';
import { createFigures } from '../../../../bench/search-executor/figures.ts';

/** A case whose sides answer prepared times. */
function scripted(amount: SearchCase['amount'], ours: number[], theirs: number[]): SearchCase {
  const work = { count: 1 };
  return {
    name: 'mbox',
    kind: 'speed',
    peer: 'read',
    amount,
    ours: async () => ({ value: ours.shift() ?? Number.NaN, peakBytes: 3 * 1024 * 1024, work }),
    theirs: async () => ({ value: theirs.shift() ?? Number.NaN, work }),
  };
}

describe('figures of searches', () => {
  it('are medians in seconds without the warm-up, millions of bytes a second, and the highest memory', async () => {
    const figures = createFigures();
    const one = scripted({ unit: 'bytes', value: 8e6 }, [9000, 1000, 3000, 2000, 2000, 2000], [9000, 500, 500, 500, 500, 500]);
    const { ratio } = await runCase(figures.watch(one));
    expect(ratio.median).toBe(0.25);
    expect(figures.metrics()).toEqual({ 'mbox.writ_s': 2, 'mbox.read_s': 0.5, 'mbox.peak_mib_above_idle': 3, mbox_mb_per_s: 4, 'mbox.mb': 8 });
  });

  it('are files a second where files are counted', async () => {
    const figures = createFigures();
    await runCase(figures.watch(scripted({ unit: 'files', value: 100 }, [1, 10, 10, 10, 10, 10], [1, 1, 1, 1, 1, 1])));
    expect(figures.metrics()).toMatchObject({ 'mbox.files_per_s': 10_000 });
  });
});
