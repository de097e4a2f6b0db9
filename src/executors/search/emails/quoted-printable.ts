import { CR, isBlank, LF } from './bytes.ts';

const EQUALS = 0x3d;

/**
 * Decodes quoted-printable (RFC 2045 6.7). `=` before a line break, blanks between them allowed, joins two lines; `=` before
 * anything but two hexadecimal digits stands for itself.
 */
export function fromQuotedPrintable(bytes: Buffer): Buffer {
  let equals = bytes.indexOf(EQUALS);
  if (equals < 0) return bytes;
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let from = 0;
  while (equals >= 0) {
    length += bytes.copy(decoded, length, from, equals);
    const high = hexDigit(bytes[equals + 1]);
    const low = hexDigit(bytes[equals + 2]);
    if (high >= 0 && low >= 0) {
      decoded[length] = high * 16 + low;
      length += 1;
      from = equals + 3;
    } else {
      const next = afterSoftBreak(bytes, equals + 1);
      if (next < 0) {
        decoded[length] = EQUALS;
        length += 1;
      }
      from = next < 0 ? equals + 1 : next;
    }
    equals = nextEquals(bytes, from);
  }
  length += bytes.copy(decoded, length, from);
  return decoded.subarray(0, length);
}

/** Runs of escapes are common in other scripts; a look at the next byte is cheaper than a search. */
function nextEquals(bytes: Buffer, from: number): number {
  return bytes[from] === EQUALS ? from : bytes.indexOf(EQUALS, from);
}

/** Where the next line begins if only blanks stand before the line's end, else -1. */
function afterSoftBreak(bytes: Buffer, from: number): number {
  let at = from;
  while (isBlank(bytes[at])) at += 1;
  if (at >= bytes.length) return at;
  if (bytes[at] === CR && bytes[at + 1] === LF) return at + 2;
  return bytes[at] === LF ? at + 1 : -1;
}

/** Value of a hexadecimal digit, or -1. */
export function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
