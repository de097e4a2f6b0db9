import { describe, expect, it } from 'vitest';
import { estimate } from './bootstrap.ts';
import { scoresOf } from './metrics.ts';

const grades = new Map([
  [1, 3],
  [2, 1],
  [3, 0],
]);

describe('measures of a ranked list', () => {
  it('gives the ideal order 1 in everything', () => {
    expect(scoresOf([1, 2, 3], grades)).toEqual({ ndcg: 1, rr: 1, recall: 1 });
  });

  it('discounts by log2 of the position and gains 2^grade - 1', () => {
    const { ndcg, rr, recall } = scoresOf([3, 9, 1], grades);
    expect(ndcg).toBeCloseTo(7 / 2 / (7 + 1 / Math.log2(3)), 12);
    expect([rr, recall]).toEqual([1 / 3, 1 / 2]);
  });

  it('gives an empty list 0', () => {
    expect(scoresOf([], grades)).toEqual({ ndcg: 0, rr: 0, recall: 0 });
  });

  it('estimates a mean with an interval around it, the same each time', () => {
    const values = [0, 0.5, 1, 1, 0.25, 0.75];
    const { mean, low, high } = estimate(values);
    expect(mean).toBeCloseTo(3.5 / 6, 12);
    expect(low).toBeLessThan(mean);
    expect(high).toBeGreaterThan(mean);
    expect(estimate(values)).toEqual({ mean, low, high });
    expect(estimate([0.5, 0.5])).toEqual({ mean: 0.5, low: 0.5, high: 0.5 });
  });
});
