import { CorruptSegment } from './format.ts';

/** Bytes of the varint of a number below 2^32. */
const MAX_VARINT_BYTES = 5;

/** Bytes that grow at the end. */
export class ByteWriter {
  #bytes: Buffer;
  #length = 0;

  constructor(capacity = 8192) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes so far; valid until the next write. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  u8(value: number): void {
    this.#room(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  u32(value: number): void {
    this.#room(4);
    this.#bytes.writeUInt32LE(value, this.#length);
    this.#length += 4;
  }

  u64(value: bigint): void {
    this.#room(8);
    this.#bytes.writeBigUInt64LE(BigInt.asUintN(64, value), this.#length);
    this.#length += 8;
  }

  /** @param value a safe integer from 0 */
  varint(value: number): void {
    this.#room(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length] = (rest % 0x80) | 0x80;
      this.#length += 1;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /**
   * Writes ascending numbers below 2^32 as varint differences; most of an index is made of these.
   *
   * @param base is added to each number of `list`
   */
  differences(list: ArrayLike<number>, from = 0, end = list.length, base = 0): void {
    this.#room(MAX_VARINT_BYTES * (end - from));
    const bytes = this.#bytes;
    let at = this.#length;
    let last = -1 - base;
    for (let i = from; i < end; i += 1) {
      const id = list[i] ?? 0;
      let rest = id - last - 1;
      last = id;
      while (rest >= 0x80) {
        bytes[at] = (rest & 0x7f) | 0x80;
        at += 1;
        rest >>>= 7;
      }
      bytes[at] = rest;
      at += 1;
    }
    this.#length = at;
  }

  /** Writes a number of up to 64 bits: inodes and devices. */
  bigVarint(value: bigint): void {
    this.#room(10);
    let rest = BigInt.asUintN(64, value);
    while (rest >= 0x80n) {
      this.#bytes[this.#length] = Number(rest & 0x7fn) | 0x80;
      this.#length += 1;
      rest >>= 7n;
    }
    this.#bytes[this.#length] = Number(rest);
    this.#length += 1;
  }

  bytes(more: Uint8Array): void {
    this.#room(more.length);
    this.#bytes.set(more, this.#length);
    this.#length += more.length;
  }

  #room(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

const PART_BYTES = 64 * 1024;

/** Bytes that are kept until they can be written. They are copied into large parts: a small Buffer would keep the whole slab alive that it was cut from. */
export class HeldBytes {
  readonly #parts: Buffer[] = [];
  readonly #open = new ByteWriter();

  append(more: Uint8Array): void {
    this.#open.bytes(more);
    if (this.#open.length >= PART_BYTES) this.#close();
  }

  /** All bytes so far. */
  parts(): readonly Buffer[] {
    if (this.#open.length > 0) this.#close();
    return this.#parts;
  }

  #close(): void {
    const part = Buffer.allocUnsafeSlow(this.#open.length);
    this.#open.view().copy(part);
    this.#parts.push(part);
    this.#open.clear();
  }
}

/** Reads what `ByteWriter` has written. Throws CorruptSegment at the end of the bytes, and for numbers that `ByteWriter` never writes. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  get ended(): boolean {
    return this.#at >= this.#bytes.length;
  }

  u8(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new CorruptSegment('a block ends too early');
    this.#at += 1;
    return value;
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.pass(4));
  }

  u64(): bigint {
    return this.#bytes.readBigUInt64LE(this.pass(8));
  }

  varint(): number {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 0x80;
      if (scale > 2 ** 49) throw new CorruptSegment('a number is too long');
    }
    return value;
  }

  /** `count` numbers below 2^32 that were written as differences; undefined if one is not below `end`. */
  differences(count: number, end: number): Uint32Array | undefined {
    const list = new Uint32Array(count);
    const bytes = this.#bytes;
    let at = this.#at;
    let last = -1;
    for (let i = 0; i < count; i += 1) {
      let byte = bytes[at] ?? 0;
      let more = byte & 0x7f;
      at += 1;
      for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
        if (scale > 2 ** 42) throw new CorruptSegment('a number is too long');
        byte = bytes[at] ?? 0;
        more += (byte & 0x7f) * scale;
        at += 1;
      }
      last += more + 1;
      if (last >= end) return undefined;
      list[i] = last;
    }
    if (at > bytes.length) throw new CorruptSegment('a block ends too early');
    this.#at = at;
    return list;
  }

  bigVarint(): bigint {
    // Most values fit into a number, which is much cheaper than a bigint.
    let [low, scale, byte] = [0, 1, 0];
    do {
      byte = this.u8();
      low += (byte & 0x7f) * scale;
      scale *= 0x80;
    } while (byte >= 0x80 && scale < 2 ** 49);
    let value = BigInt(low);
    for (let shift = 49n; byte >= 0x80; shift += 7n) {
      if (shift > 63n) throw new CorruptSegment('a number is too long');
      byte = this.u8();
      value |= BigInt(byte & 0x7f) << shift;
    }
    return BigInt.asUintN(64, value);
  }

  /** The next bytes, as a view. */
  bytes(length: number): Buffer {
    const at = this.pass(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** @returns where the bytes begin that are passed over */
  pass(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw new CorruptSegment('a block ends too early');
    this.#at += length;
    return at;
  }
}

/** The number of bytes that two keys share at their start. */
export function sharedPrefix(a: Uint8Array, b: Uint8Array, most = Number.POSITIVE_INFINITY): number {
  const end = Math.min(a.length, b.length, most);
  let shared = 0;
  while (shared < end && a[shared] === b[shared]) shared += 1;
  return shared;
}
