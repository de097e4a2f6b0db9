/** Numbers that depend on a seed alone: the same data on every machine. */
export interface Random {
  /** From 0 inclusive to 1 exclusive. */
  next(): number;
  /** An integer from 0 inclusive to `below` exclusive. */
  below(below: number): number;
  /** Throws RangeError for an empty list. */
  pick<T>(list: readonly T[]): T;
}

/** Mulberry32: small, fast, good enough for text. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick<T>(list: readonly T[]): T {
      const index = below(list.length);
      if (list.length === 0) throw new RangeError('nothing to pick from');
      return list[index] as T;
    },
  };
}

/** Larger than any of our sizes and prime, so `index * STEP % count` meets each number below `count` once, in no order. */
const STEP = 15_485_863;

/** The place of `index` in a fixed shuffle of 0 to `count - 1`; `count` at most 10 million. */
export function shuffled(index: number, count: number): number {
  return (index * STEP) % count;
}
