import { NEWLINE } from './raw-item.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);

/** Follows the brackets and strings of one JSON value, byte by byte; all that counts is ASCII, so UTF-8 may be cut anywhere. */
export interface Span {
  /** `open`: goes on. `closed`: this byte ends the value. `broken`: a line ends inside a string, which JSON does not have. */
  step(byte: number): 'open' | 'closed' | 'broken';
}

/** The first byte that is stepped must open the value. */
export function createSpan(): Span {
  let depth = 0;
  let inString = false;
  let escaped = false;
  return {
    step(byte) {
      if (inString) {
        if (byte === NEWLINE) return 'broken';
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
        return 'open';
      }
      if (byte === QUOTE) inString = true;
      else if (OPEN.has(byte)) depth += 1;
      else if (CLOSE.has(byte)) depth -= 1;
      return depth === 0 && !inString ? 'closed' : 'open';
    },
  };
}
