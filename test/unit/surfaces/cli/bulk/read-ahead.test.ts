import { describe, expect, it } from 'vitest';
import { readAhead } from '../../../../../src/surfaces/cli/bulk/read-ahead.ts';

describe('reading ahead', () => {
  it('gives everything in order, and has asked for the next while one is worked on, no further', async () => {
    let asked = 0;
    async function* numbers(): AsyncGenerator<number> {
      for (; asked < 5; ) {
        asked += 1;
        yield asked;
      }
    }
    const seen: [number, number][] = [];
    for await (const value of readAhead(numbers())) {
      await Promise.resolve();
      seen.push([value, asked]);
    }
    expect(seen).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 5],
      [5, 5],
    ]);
  });

  it('throws what cannot be had after everything before it', async () => {
    async function* broken(): AsyncGenerator<number> {
      yield 1;
      yield 2;
      throw new Error('no third');
    }
    const seen: number[] = [];
    await expect(
      (async () => {
        for await (const value of readAhead(broken())) seen.push(value);
      })(),
    ).rejects.toThrow('no third');
    expect(seen).toEqual([1, 2]);
  });

  it('ends its source when nobody wants more, and says nothing of what failed ahead', async () => {
    let ended = false;
    async function* source(): AsyncGenerator<number> {
      try {
        yield 1;
        throw new Error('nobody came for it');
      } finally {
        ended = true;
      }
    }
    for await (const value of readAhead(source())) {
      expect(value).toBe(1);
      break;
    }
    expect(ended).toBe(true);
    const none = readAhead(
      (async function* (): AsyncGenerator<number> {
        yield* [];
      })(),
    );
    expect(await none.next()).toEqual({ done: true, value: undefined });
  });
});
