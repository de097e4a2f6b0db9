import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCollector } from '../../../../src/executors/search/collector.ts';

function hit(key: number) {
  return { id: String(key), match_field: 'f', match_snippet: '' };
}

describe('the collector of matches', () => {
  it('keeps the first of all matches in order and counts every one, whatever order they come in [SE-59]', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer(), { maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (keys, max) => {
        const collector = createCollector<number>(max, (a, b) => a - b);
        for (const key of keys) collector.wants(key) ? collector.add(key, hit(key)) : collector.skip();
        const expected = keys.toSorted((a, b) => a - b).slice(0, max);
        expect(collector.found()).toEqual({ count: keys.length, hits: expected.map(hit) });
      }),
    );
  });

  it('has no hits and a count of 0 when nothing matched [SE-58]', () => {
    expect(createCollector<number>(3, (a, b) => a - b).found()).toEqual({ count: 0, hits: [] });
  });
});
