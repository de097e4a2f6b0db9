/** The place of what is sought in the bytes of a file, from a place on; -1 if it is not there. */
export type Finder = (bytes: Buffer) => (from: number) => number;

/** Comparisons for each byte that was passed by, and those that any file may have. */
const MAX_COMPARED_PER_BYTE = 4;
const MAX_COMPARED_ANYWAY = 4096;
/** Of a shorter text too few bytes are passed over. */
const MIN_LETTERS = 8;

/**
 * Finds ASCII text in bytes of whatever text, with capital letters for small ones, by the search of Boyer, Moore and Horspool:
 * it looks at one byte of some ten. To make text of whole files, and small letters of it, took half the time of a search.
 *
 * @param sought in small letters
 */
export function finderInAnyCase(sought: string): Finder {
  if (sought.length < MIN_LETTERS) return (bytes) => inSmallLetters(bytes, sought);
  const letters = Uint8Array.from(Buffer.from(sought, 'latin1'));
  const last = letters.length - 1;
  const further = skipsOf(letters);
  const skips = further.slice();
  // Where the last letter stands, the others are compared.
  for (const byte of inBothCases(letters[last] ?? 0)) skips[byte] = 0;
  return (bytes) => {
    let compared = -MAX_COMPARED_ANYWAY;
    let slow: ((from: number) => number) | undefined;
    return (from) => {
      if (slow !== undefined) return slow(from);
      for (let at = from + last; at < bytes.length; ) {
        const skip = skips[bytes[at] ?? 0] ?? 1;
        if (skip > 0) {
          at += skip;
          continue;
        }
        let behind = 1;
        while (behind <= last && SMALL[bytes[at - behind] ?? 0] === letters[last - behind]) behind += 1;
        if (behind > last) return at - last;
        compared += behind;
        // A file that was made to fit nearly everywhere would cost its size times that of the literal.
        if (compared > MAX_COMPARED_PER_BYTE * at) {
          slow = inSmallLetters(bytes, sought);
          return slow(at - last);
        }
        at += further[bytes[at] ?? 0] ?? 1;
      }
      return -1;
    };
  };
}

/** How far to go on from a byte that stands under the last letter: until the letter before that is the same. */
function skipsOf(letters: Uint8Array): Int32Array {
  const skips = new Int32Array(256).fill(letters.length);
  for (const [at, letter] of letters.subarray(0, -1).entries()) for (const byte of inBothCases(letter)) skips[byte] = letters.length - 1 - at;
  return skips;
}

const inBothCases = (letter: number): readonly number[] => (isSmall(letter) ? [letter, letter - CASE] : [letter]);

const CASE = 0x20;
const isSmall = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a;

/** Each byte, and the small one for those of A to Z. */
const SMALL = Uint8Array.from({ length: 256 }, (_, byte) => (isSmall(byte + CASE) ? byte + CASE : byte));

/** Letters of Latin-1 stay where they are and beyond ASCII, and what is sought has none of these. */
function inSmallLetters(bytes: Buffer, sought: string): (from: number) => number {
  const small = bytes.toString('latin1').toLowerCase();
  return (from) => small.indexOf(sought, from);
}
