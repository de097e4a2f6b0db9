/** Remembers a number for each message of a scope, and which came twice: 8 to 32 bytes for each. */
export interface IdSet {
  add(hash: number): void;
  /** Whether this number was added more than once. */
  isRepeated(hash: number): boolean;
}

/**
 * Open addressing; the sign of an entry says that it came again, 0 is an empty place.
 *
 * Two ids with the same hash (of 53 bits) count as repeated: that costs a suffix and is the same in every run.
 */
export function createIdSet(): IdSet {
  let places = new Float64Array(1024);
  let used = 0;

  /** Of the entry, or of the empty place where it belongs. */
  function placeOf(table: Float64Array, key: number): number {
    const mask = table.length - 1;
    let at = (key ^ (key / 0x1_0000_0000)) & mask;
    while (table[at] !== 0 && table[at] !== key && table[at] !== -key) at = (at + 1) & mask;
    return at;
  }

  function grow(): void {
    const larger = new Float64Array(places.length * 2);
    for (const entry of places) {
      if (entry !== 0) larger[placeOf(larger, Math.abs(entry))] = entry;
    }
    places = larger;
  }

  return {
    add(hash) {
      const key = hash + 1;
      const at = placeOf(places, key);
      if (places[at] !== 0) {
        places[at] = -key;
        return;
      }
      places[at] = key;
      used += 1;
      if (used * 2 > places.length) grow();
    },
    isRepeated(hash) {
      const key = hash + 1;
      return places[placeOf(places, key)] === -key;
    },
  };
}

/** A number from 0 to 2^53 - 2 for a text, well spread; not for adversaries, who gain nothing from a collision. */
export function hashOf(text: string): number {
  let a = 0x9e37_79b9;
  let b = 0x85eb_ca6b;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x5bd1_e995);
    b = Math.imul(b ^ unit, 0x1b87_3593);
    a ^= a >>> 15;
    b ^= b >>> 13;
  }
  a = Math.imul(a ^ (b >>> 16), 0x7feb_352d);
  b = Math.imul(b ^ (a >>> 15), 0x846c_a68b);
  return ((b >>> 0) & 0x1f_ffff) * 0x1_0000_0000 + ((a ^ (a >>> 16)) >>> 0);
}
