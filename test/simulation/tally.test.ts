import { describe, expect, it } from 'vitest';
import { simulatedSources } from './sources.ts';
import { emptyTally, evidenceOf, missing, type Tally, withHistories, withMutant } from './tally.ts';

const TOLD = { histories: 10, violations: [], reached: { 'claim:new': 10 }, cpuMs: 30 };

describe('the tally of the long run', () => {
  it('has what processes told, and parts that touch as one', () => {
    let tally = emptyTally('c');
    for (const seed of [1, 21, 11]) tally = withHistories(tally, seed, TOLD);
    expect(tally.parts).toEqual([{ commit: 'c', seed: 1, histories: 30, violations: 0, cpuMs: 90 }]);
    tally = withHistories(tally, 51, { ...TOLD, violations: [{ seed: 53, invariant: 'i', what: 'w' }] });
    tally = withMutant(tally, { mutant: 'm', found: true, histories: 4, breaks: 'i' });
    expect(evidenceOf(tally, ['m', 'n'])).toMatchObject({
      commit: 'c',
      seed: 1,
      histories: 40,
      violations: 1,
      mutants: { total: 2, found: 1 },
      cpuMsPerHistory: 3,
      reached: { 'claim:new': 40 },
      broken: [{ seed: 53 }],
      parts: [{ seed: 1 }, { seed: 51, violations: 1 }],
    });
  });

  it('tells the sums of now when it goes on from what was kept', () => {
    const kept = JSON.parse(JSON.stringify(evidenceOf(withHistories(emptyTally('c'), 1, TOLD), ['m']))) as Tally;
    const more = withMutant(withHistories(kept, 11, { ...TOLD, cpuMs: 50 }), { mutant: 'm', found: true, histories: 4, breaks: 'i' });
    expect(evidenceOf(more, ['m'])).toMatchObject({ histories: 20, mutants: { total: 1, found: 1 }, cpuMsPerHistory: 4 });
  });

  it('knows which seeds are left', () => {
    const { parts } = withHistories(withHistories(emptyTally('c'), 5, TOLD), 30, TOLD);
    expect(missing(parts, { seed: 1, histories: 41 }, 8)).toEqual([
      { seed: 1, histories: 4 },
      { seed: 15, histories: 8 },
      { seed: 23, histories: 7 },
      { seed: 40, histories: 2 },
    ]);
    expect(missing(parts, { seed: 5, histories: 10 }, 8)).toEqual([]);
  });

  it('is of the modules that a history loads, and of no others', () => {
    const sources = simulatedSources();
    expect(sources).toEqual(expect.arrayContaining(['processors/pipeline.ts', 'src/kernel/kernel.ts', 'test/simulation/checker.ts', 'package-lock.json']));
    expect(sources.filter((file) => /^src\/(bin|tui)\/|^test\/support\/redis/.test(file))).toEqual([]);
  });
});
