/** For each number of an n-gram its documents, as the bytes that a run has of them; all in one piece of memory. */
export interface GramLists {
  /** Bytes that are taken. */
  readonly bytes: number;
  /** A document has these n-grams. Documents come in ascending order. */
  add(numbers: Uint32Array, document: number): void;
  count(number: number): number;
  /** The documents as varint differences; valid until the next change. */
  list(number: number): Buffer;
  /** Forgets all, and keeps the memory. */
  clear(): void;
}

/** Fields of a list: what is written next to the last document, where, the end of its slice, its first slice, documents, slices. */
const [NEXT, AT, END, HEAD, COUNT, SLICES, FIELDS] = [0, 1, 2, 3, 4, 5, 8];
/** A list lies in slices, each twice as long as the one before; behind each is the place of the next one. */
const FIRST_SLICE = 8;
const LAST_DOUBLING = 8;
const LINK_BYTES = 4;

const sliceBytes = (slice: number): number => FIRST_SLICE << Math.min(slice, LAST_DOUBLING);

/**
 * Most n-grams of a tree are rare and a few are in every file: a slice of its own for each would waste the memory, and a
 * sort of all pairs has a cache miss for each.
 *
 * @param maxBytes what one expects to need; more is given
 */
export function createGramLists(maxBytes: number): GramLists {
  let pool = Buffer.allocUnsafeSlow(Math.min(maxBytes, 1 << 16));
  let top = 0;
  let fields = new Uint32Array(FIELDS << 10);

  function growFields(until: number): void {
    let length = fields.length;
    while (length <= until) length *= 2;
    const larger = new Uint32Array(length);
    larger.set(fields);
    fields = larger;
  }

  function growPool(until: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(until, Math.min(2 * pool.length, Math.ceil(1.25 * maxBytes))));
    pool.copy(larger, 0, 0, top);
    pool = larger;
  }

  /** Gives a list its next slice; the place where to write. */
  function nextSlice(base: number): number {
    const slice = fields[base + SLICES] ?? 0;
    const start = top;
    const end = start + sliceBytes(slice);
    top = end + LINK_BYTES;
    if (top > pool.length) growPool(top);
    if (slice === 0) fields[base + HEAD] = start;
    else pool.writeUInt32LE(start, fields[base + END] ?? 0);
    fields[base + END] = end;
    fields[base + SLICES] = slice + 1;
    return start;
  }

  function write(base: number, difference: number): void {
    let rest = difference;
    let at = fields[base + AT] ?? 0;
    for (;;) {
      if (at === fields[base + END]) at = nextSlice(base);
      pool[at] = rest < 0x80 ? rest : (rest & 0x7f) | 0x80;
      at += 1;
      if (rest < 0x80) break;
      rest >>>= 7;
    }
    fields[base + AT] = at;
  }

  return {
    get bytes() {
      return top;
    },
    add(numbers, document) {
      for (let i = 0; i < numbers.length; i += 1) {
        const base = (numbers[i] ?? 0) * FIELDS;
        if (base >= fields.length) growFields(base);
        // What nearly every pair takes: a small difference, and room in the slice.
        const its = fields;
        const rest = document - (its[base + NEXT] ?? 0);
        const at = its[base + AT] ?? 0;
        its[base + NEXT] = document + 1;
        its[base + COUNT] = (its[base + COUNT] ?? 0) + 1;
        if (rest < 0x80 && at !== its[base + END]) {
          pool[at] = rest;
          its[base + AT] = at + 1;
        } else write(base, rest);
      }
    },
    count: (number) => fields[number * FIELDS + COUNT] ?? 0,
    list(number) {
      const base = number * FIELDS;
      const [at, last] = [fields[base + AT] ?? 0, (fields[base + SLICES] ?? 0) - 1];
      let start = fields[base + HEAD] ?? 0;
      if (last <= 0) return pool.subarray(start, at);
      const parts: Buffer[] = [];
      for (let slice = 0; slice < last; slice += 1) {
        const end = start + sliceBytes(slice);
        parts.push(pool.subarray(start, end));
        start = pool.readUInt32LE(end);
      }
      return Buffer.concat([...parts, pool.subarray(start, at)]);
    },
    clear() {
      top = 0;
      fields.fill(0);
    },
  };
}
