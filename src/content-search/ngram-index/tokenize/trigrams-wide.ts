/** A set of n-grams of any code points: open addressing over typed arrays, because a Map of strings is ten times slower. */
export interface WideSet {
  /** N-grams since `take`. */
  readonly size: number;
  /** Adds the n-gram that begins at `start`; its place among those that are in the set. */
  add(points: Uint32Array, start: number): number;
  /** The n-grams since the last call, k code points each, in the order in which they came. */
  take(): Uint32Array;
}

const FIRST_SLOTS = 1 << 12;
/** A table that one large file has made larger than this is not kept. */
const KEPT_SLOTS = 1 << 16;

export function createWideSet(k: number): WideSet {
  let slots = new Uint32Array(FIRST_SLOTS);
  let grams = new Uint32Array(FIRST_SLOTS * k);
  let count = 0;

  /** The slot that holds the n-gram, or the free one where it belongs. A slot holds the number of its n-gram, counted from 1. */
  function slotOf(points: Uint32Array, start: number): number {
    const last = slots.length - 1;
    let slot = hashOf(points, start, k) & last;
    for (let number = slots[slot] ?? 0; number !== 0; number = slots[slot] ?? 0) {
      if (isSame(grams, (number - 1) * k, points, start, k)) return slot;
      slot = (slot + 1) & last;
    }
    return slot;
  }

  function grow(): void {
    const larger = new Uint32Array(2 * grams.length);
    larger.set(grams);
    grams = larger;
    slots = new Uint32Array(2 * slots.length);
    for (let number = 1; number <= count; number += 1) slots[slotOf(grams, (number - 1) * k)] = number;
  }

  return {
    get size() {
      return count;
    },
    add(points, start) {
      const slot = slotOf(points, start);
      const known = slots[slot] ?? 0;
      if (known !== 0) return known - 1;
      for (let i = 0; i < k; i += 1) grams[count * k + i] = points[start + i] ?? 0;
      count += 1;
      slots[slot] = count;
      if (2 * count > slots.length) grow();
      return count - 1;
    },
    take() {
      const taken = grams.slice(0, count * k);
      if (count > 0) slots = slots.length > KEPT_SLOTS ? new Uint32Array(FIRST_SLOTS) : slots.fill(0);
      if (grams.length > KEPT_SLOTS * k) grams = new Uint32Array(FIRST_SLOTS * k);
      count = 0;
      return taken;
    },
  };
}

function hashOf(points: Uint32Array, start: number, k: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < start + k; at += 1) {
    hash = Math.imul(hash ^ (points[at] ?? 0), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash >>> 0;
}

function isSame(grams: Uint32Array, at: number, points: Uint32Array, start: number, k: number): boolean {
  for (let i = 0; i < k; i += 1) if (grams[at + i] !== points[start + i]) return false;
  return true;
}
