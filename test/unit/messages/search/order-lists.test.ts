import { describe, expect, it } from 'vitest';
import { createOrderLists } from '../../../../src/messages/search/order-lists.ts';
import { compareShadow } from '../../../../src/messages/search/shadow.ts';

const LIST = { ids: '5,2,9', keys: '-8,-6,-4', unit: 0.5, lowest_key: -8, highest_key: -4, whole: true };
const NAMES = { serving: 'fts5', shadow: 'tantivy' };

describe('kept orders', () => {
  it('give ids, scores and raw scores of the first page again', () => {
    const lists = createOrderLists({ max: 2, lifeMs: 10, now: () => 0 });
    lists.keep('a', LIST, 3);
    const order = lists.find('a');
    expect([order?.length, order?.version, order?.indexOf(2), order?.indexOf(3), order?.idsFrom(1, 5)]).toEqual([3, 3, 1, -1, [2, 9]]);
    expect([5, 2, 9].map((id) => order?.scoreOf(id))).toEqual([
      { score: 1, raw: -4 },
      { score: 0.5, raw: -3 },
      { score: 0, raw: -2 },
    ]);
  });

  it('are forgotten when they are old, or when others were used later', () => {
    let now = 0;
    const lists = createOrderLists({ max: 2, lifeMs: 10, now: () => now });
    for (const key of ['a', 'b']) lists.keep(key, LIST, 1);
    lists.find('a');
    lists.keep('c', LIST, 1);
    expect(['a', 'b', 'c'].map((key) => lists.find(key) !== undefined)).toEqual([true, false, true]);
    now = 11;
    expect(lists.find('a')).toBeUndefined();
  });
});

describe('compareShadow', () => {
  it('measures a list against the one that was served', { tags: ['MS-102', 'MS-103', 'MS-104', 'MS-105'] }, () => {
    expect(compareShadow([1, 2, 3], [1, 2, 3], NAMES)).toEqual({
      serving_engine: 'fts5',
      shadow_engine: 'tantivy',
      overlap_jaccard: 1,
      ndcg_at_10: 1,
      mrr_delta: 0,
      serving_only: 0,
      shadow_only: 0,
    });
    const part = compareShadow([1, 2, 3, 4], [9, 1, 2], NAMES);
    // Grades 3, 3 at places 2 and 3 against 3, 3, 3, 2 in their own order.
    const ideal = 7 / Math.log2(2) + 7 / Math.log2(3) + 7 / Math.log2(4) + 3 / Math.log2(5);
    expect(part).toMatchObject({ overlap_jaccard: 2 / 5, mrr_delta: -0.5, serving_only: 2, shadow_only: 1 });
    expect(part.ndcg_at_10).toBeCloseTo((7 / Math.log2(3) + 7 / Math.log2(4)) / ideal, 12);
    expect(compareShadow([], [], NAMES)).toMatchObject({ overlap_jaccard: 1, ndcg_at_10: 1, mrr_delta: 0 });
    expect(compareShadow([], [1], NAMES)).toMatchObject({ overlap_jaccard: 0, ndcg_at_10: 0, mrr_delta: 0, shadow_only: 1 });
    expect(compareShadow([1], [2], NAMES)).toMatchObject({ overlap_jaccard: 0, ndcg_at_10: 0, mrr_delta: -1 });
  });
});
