/** A reproducible source of choices: the same seed makes the same choices in the same order. */
export interface Random {
  /** From 0 up to 1. */
  number(): number;
  /** From 0 up to `below`. */
  integer(below: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const number = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    number,
    integer: (below) => Math.floor(number() * below),
    chance: (probability) => number() < probability,
    pick(items) {
      const item = items[Math.floor(number() * items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
  };
}
