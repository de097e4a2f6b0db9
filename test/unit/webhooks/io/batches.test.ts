import { describe, expect, it } from 'vitest';
import { batchesOf } from '../../../../src/webhooks/io/batches.ts';

async function* coming(...groups: readonly (readonly number[])[]): AsyncGenerator<number> {
  for (const group of groups) {
    yield* group;
    // Everything that is ready goes first.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function all<T>(batches: AsyncIterable<readonly T[]>): Promise<readonly (readonly T[])[]> {
  const seen: (readonly T[])[] = [];
  for await (const batch of batches) seen.push(batch);
  return seen.filter((batch) => batch.length > 0);
}

describe('batches of what comes one by one', () => {
  it('hold together what came together, and wait for nothing', async () => {
    expect(await all(batchesOf(coming([1, 2, 3], [4], [5, 6]), 64))).toEqual([[1, 2, 3], [4], [5, 6]]);
  });

  it('have at most so many', async () => {
    expect(await all(batchesOf(coming([1, 2, 3, 4, 5]), 2))).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('end with an error as what comes does', async () => {
    async function* broken(): AsyncGenerator<number> {
      yield 1;
      throw new Error('the events are gone');
    }
    await expect(all(batchesOf(broken(), 64))).rejects.toThrow('the events are gone');
  });
});
