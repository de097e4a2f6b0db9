/** Bytes of a message as the readers of this folder want them: a Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export const LF = 0x0a;
export const CR = 0x0d;
export const DASH = 0x2d;

/** Where the line after the one at `from` begins; the end of the bytes if there is none. */
export function nextLine(bytes: Buffer, from: number): number {
  const feed = bytes.indexOf(LF, from);
  return feed < 0 ? bytes.length : feed + 1;
}

/** Where the text of a line ends that runs from `from` to `next`: before its line feed and a carriage return before that. */
export function endOfText(bytes: Buffer, from: number, next: number): number {
  let end = next;
  if (end > from && bytes[end - 1] === LF) end -= 1;
  if (end > from && end < next && bytes[end - 1] === CR) end -= 1;
  return end;
}

/** Space or tab. */
export function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09;
}
