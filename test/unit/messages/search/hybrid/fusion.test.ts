import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuse } from '../../../../../src/messages/search/hybrid/fusion.ts';
import { reranked, sigmoid } from '../../../../../src/messages/search/hybrid/rerank.ts';

const order = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 30 });

describe('the fusion of two orders', () => {
  it('adds up 1 / (k + rank), and the first of both scores 1', { tags: ['MS-046', 'MS-064', 'MS-165'] }, () => {
    expect(
      fuse(
        [
          [7, 5],
          [7, 9],
        ],
        60,
      ),
    ).toEqual([
      { id: 7, score: 1 },
      { id: 5, score: (1 / 62) * (61 / 2) },
      { id: 9, score: (1 / 62) * (61 / 2) },
    ]);
    expect(fuse([[1], [2, 1]], 1)).toEqual([
      { id: 1, score: (1 / 2 + 1 / 3) * (2 / 2) },
      { id: 2, score: 1 / 2 },
    ]);
    expect(fuse([[], []], 60)).toEqual([]);
  });

  it('keeps to 0 and 1, counts each row once, and does not mind which order is which', () => {
    fc.assert(
      fc.property(order, order, fc.integer({ min: 1, max: 1000 }), (a, b, k) => {
        const rows = fuse([a, b], k);
        expect(new Set(rows.map(({ id }) => id))).toEqual(new Set([...a, ...b]));
        expect(rows).toHaveLength(new Set([...a, ...b]).size);
        for (const { id, score } of rows) {
          expect(score > 0 && score <= 1).toBe(true);
          if (!a.includes(id) || !b.includes(id)) expect(score).toBeLessThanOrEqual(0.5);
        }
        expect(fuse([b, a], k).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
      }),
    );
  });
});

describe('judged rows', () => {
  it('have the sigmoid of what the model says', { tags: ['MS-065'] }, () => {
    expect([0, 2, -2, 800, -800].map(sigmoid)).toEqual([0.5, 1 / (1 + Math.exp(-2)), 1 / (1 + Math.exp(2)), 1, 0]);
  });

  it('come first, and the others follow in the order that they had, below the lowest of them', { tags: ['MS-010'] }, () => {
    const fused = [
      { id: 4, score: 0.9 },
      { id: 2, score: 0.8 },
      { id: 9, score: 0.6 },
      { id: 1, score: 0.5 },
    ];
    expect(reranked(fused, [0.25, 0.75])).toEqual([
      { id: 2, score: 0.75 },
      { id: 4, score: 0.25 },
      { id: 9, score: 0.15 },
      { id: 1, score: 0.125 },
    ]);
    expect(reranked(fused, [])).toEqual(fused);
  });

  it('are in the order of their scores, whatever the model says', () => {
    fc.assert(
      fc.property(order, order, fc.array(fc.double({ min: -9, max: 9, noNaN: true }), { maxLength: 20 }), (a, b, logits) => {
        const fused = fuse([a, b], 60);
        const judged = logits.slice(0, fused.length).map(sigmoid);
        const rows = reranked(fused, judged);
        for (const [index, { score }] of rows.entries()) expect(score).toBeLessThanOrEqual(rows[index - 1]?.score ?? 1);
        expect(rows.slice(judged.length).map(({ id }) => id)).toEqual(fused.slice(judged.length).map(({ id }) => id));
      }),
    );
  });
});
