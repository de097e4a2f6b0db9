import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAmvi, type Vectors } from '../../../../../src/messages/engines/vectors/amvi-read.ts';
import { amviBytes } from '../../../../../src/messages/engines/vectors/amvi-write.ts';

const EXPECTED = { embedder: 'tiny-3', dimension: 3 };
const ids = fc.uniqueArray(fc.oneof(fc.integer({ min: 1, max: 50 }), fc.maxSafeInteger()), { maxLength: 9 });
const half = fc.integer({ min: 0, max: 0xffff }).filter((bits) => (bits & 0x7c00) !== 0x7c00);
const vectors: fc.Arbitrary<Vectors> = ids.chain((found) =>
  fc.array(half, { minLength: found.length * 3, maxLength: found.length * 3 }).map((slab) => ({ ids: Float64Array.from(found), slab: Uint16Array.from(slab) })),
);

/** The file of these vectors after somebody changed it and wrote the right digest again. */
function forged(change: (bytes: Buffer) => void, of: Vectors = { ids: Float64Array.of(7, 5), slab: Uint16Array.of(1, 2, 3, 4, 5, 6) }): Buffer {
  const bytes = amviBytes(of, EXPECTED);
  change(bytes);
  createHash('sha256')
    .update(bytes.subarray(0, -32))
    .digest()
    .copy(bytes, bytes.length - 32);
  return bytes;
}

describe('a file of vectors', () => {
  it('holds what was written, whatever the order of its ids', { tags: ['MS-164'] }, () => {
    fc.assert(
      fc.property(vectors, (written) => {
        expect(readAmvi(amviBytes(written, EXPECTED), EXPECTED)).toEqual(written);
      }),
    );
  });

  it('can be read from any place of a buffer', () => {
    const written = { ids: Float64Array.of(7, 5), slab: Uint16Array.of(1, 2, 3, 4, 5, 6) };
    const bytes = amviBytes(written, EXPECTED);
    expect(readAmvi(Buffer.concat([Buffer.alloc(1), bytes]).subarray(1), EXPECTED)).toEqual(written);
  });

  it('has the layout that its reader describes', { tags: ['MS-164'] }, () => {
    const bytes = amviBytes({ ids: Float64Array.of(7, 5), slab: Uint16Array.of(1, 2, 3, 4, 5, 6) }, EXPECTED);
    const header = ['414d5649', '0100', '03000000', '0200000000000000', '0600', Buffer.from('tiny-3').toString('hex'), '000000000000'].join('');
    const records = ['0500000000000000', '01000000', '0700000000000000', '00000000'].join('');
    const slab = '010002000300040005000600';
    expect(bytes.subarray(0, -32).toString('hex')).toBe(`${header}${records}${'00'.repeat(8)}${slab}`);
  });

  it('is refused when a bit of it is another one', () => {
    fc.assert(
      fc.property(vectors, fc.nat(), (written, at) => {
        const bytes = amviBytes(written, EXPECTED);
        const bit = at % (bytes.length * 8);
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(readAmvi(bytes, EXPECTED)).toHaveProperty('refused');
      }),
    );
  });

  it('is refused when anything is missing at its end, or follows it', () => {
    const bytes = amviBytes({ ids: Float64Array.of(7, 5), slab: Uint16Array.of(1, 2, 3, 4, 5, 6) }, EXPECTED);
    for (let length = 0; length < bytes.length; length += 1) expect(readAmvi(bytes.subarray(0, length), EXPECTED)).toHaveProperty('refused');
    expect(readAmvi(Buffer.concat([bytes, Buffer.alloc(1)]), EXPECTED)).toHaveProperty('refused');
  });

  it.each<readonly [string, (bytes: Buffer) => void, string]>([
    ['magic', (bytes) => bytes.write('AMVX', 0), 'it is no file of vectors'],
    ['version', (bytes) => bytes.writeUInt16LE(2, 4), 'its version is 2'],
    ['dimension of 0', (bytes) => bytes.writeUInt32LE(0, 6), 'its size is another one'],
    ['dimension beyond its bytes', (bytes) => bytes.writeUInt32LE(0xffffffff, 6), 'its size is another one'],
    ['count beyond its bytes', (bytes) => bytes.writeBigUInt64LE(0xffffffffffffffffn, 10), 'its size is another one'],
    ['long name', (bytes) => bytes.writeUInt16LE(65, 18), 'its size is another one'],
    ['name of other letters', (bytes) => bytes.write('/', 20), 'its header is not well formed'],
    ['pad', (bytes) => bytes.writeUInt8(1, 26), 'its header is not well formed'],
    ['other embedder', (bytes) => bytes.write('tiny-4', 20), 'its vectors are of the embedder tiny-4'],
    ['id out of order', (bytes) => bytes.writeBigInt64LE(8n, 32), 'its records are not in order'],
    ['id twice', (bytes) => bytes.writeBigInt64LE(7n, 32), 'its records are not in order'],
    ['id that is no safe integer', (bytes) => bytes.writeBigInt64LE(2n ** 53n, 44), 'its records are not in order'],
    ['vector beyond the slab', (bytes) => bytes.writeUInt32LE(2, 40), 'its records are not in order'],
    ['vector of two documents', (bytes) => bytes.writeUInt32LE(0, 40), 'its records are not in order'],
    ['number that is none', (bytes) => bytes.writeUInt16LE(0x7c00, 66), 'a number of it is none'],
  ])('is refused for its %s, also with the right digest', (_, change, reason) => {
    expect(readAmvi(forged(change), EXPECTED)).toEqual({ refused: reason });
  });

  it('is refused for a dimension that is not the one of the embedder', () => {
    expect(
      readAmvi(
        forged(() => undefined),
        { embedder: 'tiny-3', dimension: 6 },
      ),
    ).toEqual({ refused: 'its vectors have 3 numbers' });
  });
});
