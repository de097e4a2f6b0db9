import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareShadow } from '../../../../src/messages/search/shadow.ts';
import { type ShadowTrial, shadowReport } from '../../../../src/messages/search/shadow-report.ts';

const ENGINES = { serving: 'fts5', shadow: 'tantivy' };
const trial = (text: string, serving: readonly number[], shadow: readonly number[], ms: readonly [number, number] = [1, 1]): ShadowTrial => ({
  text,
  serving: { ids: serving, ms: ms[0] },
  shadow: { ids: shadow, ms: ms[1] },
  irregular: false,
  comparison: compareShadow(serving, shadow, ENGINES),
});
const failed = (text: string): ShadowTrial => ({ ...trial(text, [1], []), shadow: { error: 'away' }, comparison: null });
const verdicts = (trials: readonly ShadowTrial[]) => Object.fromEntries(shadowReport(trials).gates.map(({ gate, passed }) => [gate, passed]));

describe('the report of the shadow', () => {
  it('has means over queries, medians of the times, and the queries that are too far apart, the farthest first', () => {
    const report = shadowReport([trial('same', [1, 2], [1, 2], [2, 1]), trial('half', [1, 2], [2, 3], [4, 4]), trial('none', [1], [2], [9, 3])]);
    expect(report).toMatchObject({ queries: 3, compared: 3, irregular: 0, errors: 0 });
    expect(report.mean.overlap_jaccard).toBeCloseTo((1 + 1 / 3 + 0) / 3, 12);
    expect(report.mean.mrr_delta).toBeCloseTo((0 - 1 - 1) / 3, 12);
    expect(report.latency).toEqual({ serving_ms: 4, shadow_ms: 3, mean_ratio: (0.5 + 1 + 1 / 3) / 3 });
    expect(report.apart).toEqual([
      { text: 'none', overlap_jaccard: 0, serving_only: 1, shadow_only: 1 },
      { text: 'half', overlap_jaccard: 1 / 3, serving_only: 1, shadow_only: 1 },
    ]);
  });

  it('leaves queries that are no words out of the means, and counts them', () => {
    const odd = { ...trial('(((', [1, 2], []), irregular: true, comparison: null };
    expect(shadowReport([trial('same', [1], [1]), odd])).toMatchObject({ queries: 2, compared: 1, irregular: 1, mean: { overlap_jaccard: 1 }, apart: [] });
  });

  it.each([
    ['overlap', 0.75, [trial('a', [1, 2, 3], [1, 2, 3, 4])], [trial('a', [1, 2, 3], [1, 2, 4])]],
    ['latency', 2, [trial('a', [1], [1], [1, 2])], [trial('a', [1], [1], [1, 2.01])]],
    [
      'errors',
      0.01,
      [...Array.from({ length: 99 }, () => trial('a', [1], [1])), failed('b')],
      [...Array.from({ length: 98 }, () => trial('a', [1], [1])), failed('b')],
    ],
  ] as const)('passes the gate of %s at its bound, and not beyond it', (gate, bound, good, bad) => {
    expect(verdicts(good)[gate]).toBe(true);
    expect(verdicts(bad)[gate]).toBe(false);
    expect(shadowReport(good).gates.find((one) => one.gate === gate)?.value).toBeCloseTo(bound, 12);
  });

  it('counts nothing as passed that was not measured', () => {
    expect(verdicts([])).toEqual({ overlap: null, latency: null, errors: null });
    expect(verdicts([failed('a')])).toEqual({ overlap: null, latency: null, errors: false });
  });

  it('says the same in whichever order queries were asked', () => {
    const ids = fc.uniqueArray(fc.nat(20), { maxLength: 10 });
    const trials = fc.array(fc.tuple(fc.string(), ids, ids, fc.tuple(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 64 }))), { maxLength: 12 });
    fc.assert(
      fc.property(trials, (rows) => {
        const all = rows.map((row) => trial(...row));
        const [there, back] = [shadowReport(all), shadowReport([...all].reverse())];
        expect(back.latency.serving_ms).toBe(there.latency.serving_ms);
        expect(back.mean.overlap_jaccard ?? 0).toBeCloseTo(there.mean.overlap_jaccard ?? 0, 9);
        expect(back.apart.map(({ overlap_jaccard }) => overlap_jaccard)).toEqual(there.apart.map(({ overlap_jaccard }) => overlap_jaccard));
      }),
    );
  });
});
