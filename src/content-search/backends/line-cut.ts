/** Where to cut UTF-8 text that begins at `start` so that it has at most `most` bytes and no code point is cut in two. Bytes that are not UTF-8 are cut anywhere. */
export function cutAtCodePoint(data: Buffer, start: number, most: number): number {
  const limit = start + most;
  // A code point has at most three bytes behind its first.
  for (let at = limit; at > limit - 4 && at > start; at -= 1) {
    if (!isContinuation(data[at])) return at;
  }
  return limit;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
