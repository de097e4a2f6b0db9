import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { halfOf, isFinite16, numberOf } from '../../../../../src/messages/engines/vectors/half.ts';

describe('halves', () => {
  it.each([
    [0, 0x0000],
    [-0, 0x8000],
    [1, 0x3c00],
    [-2, 0xc000],
    [65_504, 0x7bff],
    [65_519.99, 0x7bff],
    [65_520, 0x7c00],
    [2 ** -14, 0x0400],
    [2 ** -24, 0x0001],
    [2 ** -25, 0x0000],
    [1.5 * 2 ** -24, 0x0002],
    [1 / 3, 0x3555],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [Number.POSITIVE_INFINITY, 0x7c00],
    [Number.NaN, 0x7e00],
  ])('of %d are %d, as IEEE 754 says', (value, half) => {
    expect(halfOf(value)).toBe(half);
  });

  it('of every half that is a number are itself', () => {
    const wrong = Array.from({ length: 65_536 }, (_, half) => half).filter((half) => isFinite16(half) && halfOf(numberOf(half)) !== half);
    expect(wrong).toEqual([]);
  });

  it('are the nearest there is', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, min: -1000, max: 1000 }), (value) => {
        const half = halfOf(value);
        const size = half & 0x7fff;
        const distance = Math.abs(numberOf(half) - value);
        for (const other of [size - 1, size + 1]) if (other >= 0) expect(Math.abs(numberOf((half & 0x8000) | other) - value)).toBeGreaterThanOrEqual(distance);
      }),
    );
  });
});
