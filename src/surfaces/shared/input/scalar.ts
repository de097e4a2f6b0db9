import { NEWLINE } from './raw-item.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ENDS = new Set([0x2c, 0x5b, 0x5d, 0x7b, 0x7d, 0x20, 0x09, 0x0d, NEWLINE]);

/** Follows what stands in an array in the place of an object: a text, a number, a word, or damage. */
export interface Scalar {
  /** `ended`: this byte comes after it. `broken`: a line ends inside a string, which JSON does not have. */
  step(byte: number): 'open' | 'ended' | 'broken';
}

export function createScalar(first: number): Scalar {
  let inString = first === QUOTE;
  let escaped = false;
  return {
    step(byte) {
      if (!inString) {
        inString = byte === QUOTE;
        return ENDS.has(byte) ? 'ended' : 'open';
      }
      if (byte === NEWLINE) return 'broken';
      if (escaped) escaped = false;
      else if (byte === BACKSLASH) escaped = true;
      else if (byte === QUOTE) inString = false;
      return 'open';
    },
  };
}
