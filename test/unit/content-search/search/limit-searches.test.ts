import { describe, expect, it } from 'vitest';
import { limitSearches } from '../../../../src/content-search/search/limit-searches.ts';
import type { ContentSearch, ContentSearchOutcome } from '../../../../src/core/ports/index.ts';

const OUTCOME: ContentSearchOutcome = { ok: false, error: { code: 'ExecutionFailed', field: undefined, message: 'made up' } };

describe('limitSearches', () => {
  it('refuses a search beyond the limit, and takes one again when another has ended, however it did', async () => {
    const ends: { resolve(outcome: ContentSearchOutcome): void; reject(error: Error): void }[] = [];
    const unlimited: ContentSearch = { search: () => new Promise((resolve, reject) => ends.push({ resolve, reject })) };
    const tool = limitSearches(unlimited, 2);
    const search = () => tool.search({}, new AbortController().signal);
    const [one, two] = [search(), search()];
    await expect(search()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    ends[0]?.resolve(OUTCOME);
    await expect(one).resolves.toBe(OUTCOME);
    const three = search();
    ends[1]?.reject(new Error('crashed'));
    await expect(two).rejects.toThrow('crashed');
    const four = search();
    ends[2]?.resolve(OUTCOME);
    ends[3]?.resolve(OUTCOME);
    await expect(Promise.all([three, four])).resolves.toEqual([OUTCOME, OUTCOME]);
  });

  it('keeps what else the tool has', () => {
    expect(limitSearches({ search: async () => OUTCOME, refusal: 'not here' }, 1).refusal).toBe('not here');
  });
});
