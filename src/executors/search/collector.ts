import type { Found, Hit } from '../../core/ports/index.ts';

/** Takes every match of a scan, in any order, and keeps the first of them. */
export interface Collector<K> {
  /** Whether a match with this key can still be among the first; asked before a hit that is dear to make. A no is for good. */
  wants(key: K): boolean;
  /** Counts a match, and keeps it if it is wanted. `hit` is called at the end, if at all: what it holds on to is held for up to twice the limit of matches. */
  add(key: K, hit: () => Hit): void;
  /** Counts a match that is known not to be wanted. */
  skip(): void;
  found(): Found;
}

interface Kept<K> {
  readonly key: K;
  readonly hit: () => Hit;
}

/** Matches kept beyond the limit before they are sorted and cut. */
const LEAST_ROOM = 64;

/**
 * The first `max` matches in full order and the count of all, in bounded memory. Sorted is only now and then, after as
 * many new matches again: sources often come in descending order, in which every match is a new first one, and a list
 * that is kept in order would be moved by each of them.
 *
 * Equal keys are the same record, seen twice, and count once as far as both are held: a file that was removed and made
 * again while its directory was read.
 *
 * @param compare a total order of the keys of different records
 */
export function createCollector<K>(max: number, compare: (a: K, b: K) => number): Collector<K> {
  const full = max + Math.max(max, LEAST_ROOM);
  let kept: Kept<K>[] = [];
  let count = 0;
  /** The last that is among the first, once there are enough. */
  let last: Kept<K> | undefined;

  function cut(): void {
    const sorted = kept.sort((a, b) => compare(a.key, b.key));
    const unique = sorted.filter((one, i) => i === 0 || compare(one.key, (sorted[i - 1] ?? one).key) !== 0);
    count -= sorted.length - unique.length;
    kept = unique.slice(0, max);
    last = kept[max - 1];
  }

  const wants = (key: K): boolean => last === undefined || compare(key, last.key) < 0;

  return {
    wants,
    add(key, hit) {
      count += 1;
      if (!wants(key)) return;
      kept.push({ key, hit });
      if (kept.length >= full) cut();
    },
    skip() {
      count += 1;
    },
    found() {
      cut();
      return { count, hits: kept.map(({ hit }) => hit()) };
    },
  };
}
