import type { Found, Hit } from '../../core/ports/index.ts';

/** Takes every match of a scan, in any order, and holds no more than `max` of them. */
export interface Collector<K> {
  /** Whether a match with this key would be in the answer as it stands; asked before a hit that is dear to make. */
  wants(key: K): boolean;
  add(key: K, hit: Hit): void;
  /** Counts a match that was not wanted. */
  skip(): void;
  found(): Found;
}

interface Place<K> {
  readonly key: K;
  readonly hit: Hit;
}

/**
 * The first `max` matches in full order and the count of all, in bounded memory. A sorted list: of n matches in random
 * order only about max·ln(n/max) ever enter it.
 *
 * @param compare a total order of keys: no two matches of a scan are equal in it
 */
export function createCollector<K>(max: number, compare: (a: K, b: K) => number): Collector<K> {
  const first: Place<K>[] = [];
  let count = 0;

  function wants(key: K): boolean {
    const last = first[max - 1];
    return last === undefined || compare(key, last.key) < 0;
  }

  /** Index of the first place that comes after the key. */
  function placeOf(key: K): number {
    let low = 0;
    let high = first.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const place = first[middle];
      if (place !== undefined && compare(place.key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    wants,
    add(key, hit) {
      count += 1;
      if (!wants(key)) return;
      first.splice(placeOf(key), 0, { key, hit });
      if (first.length > max) first.pop();
    },
    skip() {
      count += 1;
    },
    found: () => ({ count, hits: first.map(({ hit }) => hit) }),
  };
}
