import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '../../../../src/messages/search/cursor.ts';

const GARBAGE = [
  '',
  ' ',
  'garbage',
  's',
  's:i',
  's0',
  's0:',
  's0:i',
  's0:ix',
  's0:i1.5',
  's0:i1e3',
  'S0:i1',
  'sg:i1',
  's0:I1',
  's00000000000000000:i1',
  's0:i42:extra',
  's0:i1:e',
  's0:i1:elucene',
  's0:i1:eFTS5',
  's0:i1:efts5:',
  ' s0:i1',
  's0:i1\n',
  's-1:i1',
  's0:i9223372036854775808',
  's0:i-9223372036854775809',
  's0x1:i1',
  's:i1',
  "s0:i1' OR 1",
];

describe('cursor tokens', () => {
  it.each([
    [0, 's0000000000000000'],
    [1, 's3ff0000000000000'],
    [0.75, 's3fe8000000000000'],
    [-1.5, 'sbff8000000000000'],
    [1 / 3, 's3fd5555555555555'],
  ])('writes the bits of %d, the id and the engine', { tags: ['MS-073', 'MS-075', 'MS-077'] }, (score, bits) => {
    expect(encodeCursor({ score, id: -7n, engine: 'fts5' })).toBe(`${bits}:i-7:efts5`);
    expect(encodeCursor({ score, id: 7n, engine: undefined })).toBe(`${bits}:i7`);
  });

  it.each(['fts5', 'tantivy', 'postgresql', 'hybrid'] as const)('say of the engine %s that it is the one', { tags: ['MS-077'] }, (engine) => {
    expect(encodeCursor({ score: 1, id: 7n, engine })).toBe(`s3ff0000000000000:i7:e${engine}`);
  });

  it('reads back what it wrote, whatever the number and the id', { tags: ['MS-075'] }, () => {
    const engine = fc.constantFrom('fts5' as const, 'tantivy' as const, 'hybrid' as const, undefined);
    fc.assert(
      fc.property(fc.double(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), engine, (score, id, tag) => {
        expect(decodeCursor(encodeCursor({ score, id, engine: tag }))).toEqual({ score, id, engine: tag });
      }),
    );
  });

  it('takes tokens of version 2, short and in capitals too', { tags: ['MS-076'] }, () => {
    expect(decodeCursor('sBFF8000000000000:i42')).toEqual({ score: -1.5, id: 42n, engine: undefined });
    expect(decodeCursor('s0:i+1')).toEqual({ score: 0, id: 1n, engine: undefined });
  });

  it.each(GARBAGE)('reads nothing from %j', { tags: ['MS-074'] }, (token) => {
    expect(decodeCursor(token)).toBeUndefined();
  });

  it('reads something or nothing from any text, and never fails', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('s', ':', 'i', 'e', '0', 'f', '-', 'fts5'), maxLength: 12 }), (token) =>
        [undefined, 'object'].includes(decodeCursor(token) && 'object'),
      ),
    );
  });
});
