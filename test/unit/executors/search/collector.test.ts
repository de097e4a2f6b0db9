import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCollector } from '../../../../src/executors/search/collector.ts';

function hit(key: number) {
  return { id: String(key), match_field: 'f', match_snippet: '' };
}

describe('the collector of matches', () => {
  it('keeps the first of all matches in order and counts every one, whatever order they come in: by the key alone, not by any rank', {
    tags: ['SE-05', 'SE-06', 'SE-59'],
  }, () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer(), { maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (keys, max) => {
        const collector = createCollector<number>(max, (a, b) => a - b);
        for (const key of keys) {
          // Whoever asked first says so; the count is the same.
          if (key % 2 === 0 && !collector.wants(key)) collector.skip();
          else collector.add(key, () => hit(key));
        }
        const expected = keys.toSorted((a, b) => a - b).slice(0, max);
        expect(collector.found()).toEqual({ count: keys.length, hits: expected.map(hit) });
      }),
    );
  });

  it('keeps few matches of a source that comes in descending order', () => {
    let compared = 0;
    const collector = createCollector<number>(10, (a, b) => {
      compared += 1;
      return a - b;
    });
    for (let key = 100_000; key > 0; key -= 1) collector.add(key, () => hit(key));
    expect(collector.found()).toMatchObject({ count: 100_000, hits: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((key) => ({ id: String(key) })) });
    expect(compared).toBeLessThan(100_000 * 20);
  });

  it('takes a record that was seen twice as one', { tags: ['SE-50'] }, () => {
    const collector = createCollector<number>(3, (a, b) => a - b);
    for (const key of [2, 1, 2]) collector.add(key, () => hit(key));
    expect(collector.found()).toEqual({ count: 2, hits: [hit(1), hit(2)] });
  });

  it('has no hits and a count of 0 when nothing matched', { tags: ['SE-58'] }, () => {
    expect(createCollector<number>(3, (a, b) => a - b).found()).toEqual({ count: 0, hits: [] });
  });
});
