import { CR, isBlank, LF } from './bytes.ts';

const EQUALS = 0x3d;

/**
 * Decodes quoted-printable (RFC 2045 6.7). `=` before a line break, blanks between them allowed, joins two lines; `=` before
 * anything but two hexadecimal digits stands for itself.
 *
 * @param into memory for what comes out, at least as long as what goes in
 */
export function fromQuotedPrintable(bytes: Buffer, into?: Buffer): Buffer {
  const first = bytes.indexOf(EQUALS);
  if (first < 0) return bytes;
  const decoded = into ?? Buffer.allocUnsafe(bytes.length);
  bytes.copy(decoded, 0, 0, first);
  let length = first;
  // Escapes are dense in other scripts, so bytes are copied one by one: calls for the pieces between them cost more.
  for (let at = first; at < bytes.length; length += 1) {
    const byte = bytes[at] ?? 0;
    const high = byte === EQUALS ? hexDigit(bytes[at + 1]) : -1;
    const low = high < 0 ? -1 : hexDigit(bytes[at + 2]);
    const next = byte === EQUALS && low < 0 ? afterSoftBreak(bytes, at + 1) : -1;
    if (next >= 0) length -= 1;
    else decoded[length] = low < 0 ? byte : high * 16 + low;
    at = next >= 0 ? next : at + (low < 0 ? 1 : 3);
  }
  return decoded.subarray(0, length);
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
