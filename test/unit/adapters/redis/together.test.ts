import { describe, expect, it } from 'vitest';
import { callTogether } from '../../../../src/adapters/redis/together.ts';

/** Answers a number with its double; `groups` tells what was asked together. */
function rig(options: { max?: number; maxWeight?: number; fails?: (group: readonly number[]) => Error | undefined } = {}) {
  const groups: (readonly number[])[] = [];
  const ask = callTogether<number, number>(
    { max: options.max ?? 10, weight: (n) => n, maxWeight: options.maxWeight ?? 1000, mayBeOnes: (error) => error instanceof RangeError },
    async (group) => {
      groups.push(group);
      const error = options.fails?.(group);
      if (error) throw error;
      return group.map((n) => 2 * n);
    },
  );
  return { ask, groups };
}

describe('calls of one turn', () => {
  it('are one call, and each has its own answer; the next turn is another call', async () => {
    const { ask, groups } = rig();
    expect(await Promise.all([1, 2, 3].map(ask))).toEqual([2, 4, 6]);
    expect(await ask(4)).toBe(8);
    expect(groups).toEqual([[1, 2, 3], [4]]);
  });

  it('are as many calls as their number and weight need; a request that is too heavy goes alone', async () => {
    const { ask, groups } = rig({ max: 2, maxWeight: 10 });
    expect(await Promise.all([1, 2, 3, 8, 50, 1].map(ask))).toEqual([2, 4, 6, 16, 100, 2]);
    expect(groups).toEqual([[1, 2], [3], [8], [50], [1]]);
  });

  it('all hear of an error that is nobody’s fault', async () => {
    const { ask, groups } = rig({ fails: () => new Error('gone') });
    const ends = await Promise.allSettled([1, 2].map(ask));
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(groups).toEqual([[1, 2]]);
  });

  it('are asked again one by one when the error may be the fault of one of them', async () => {
    const { ask, groups } = rig({ fails: (group) => (group.includes(2) ? new RangeError('not 2') : undefined) });
    const ends = await Promise.allSettled([1, 2, 3].map(ask));
    expect(ends).toMatchObject([{ value: 2 }, { reason: { message: 'not 2' } }, { value: 6 }]);
    expect(groups).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it('are refused, not forgotten, when an answer is missing', async () => {
    const ask = callTogether<number, number>({ max: 5, weight: () => 0, maxWeight: 1, mayBeOnes: () => false }, async () => [7]);
    const ends = await Promise.allSettled([1, 2].map(ask));
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
