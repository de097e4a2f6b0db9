/** FNV-1a of 64 bits in two halves of 32: a BigInt for each byte would cost ten times as much. */
export interface Fnv {
  readonly high: number;
  readonly low: number;
}

/** The prime is 2^40 + 0x1b3. */
const PRIME_LOW = 0x1b3;

export function fnv1a64(bytes: Uint8Array): Fnv {
  let [high, low] = [0xcbf29ce4, 0x84222325];
  for (const byte of bytes) {
    low = (low ^ byte) >>> 0;
    const product = low * PRIME_LOW;
    high = (Math.imul(high, PRIME_LOW) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return { high, low };
}
