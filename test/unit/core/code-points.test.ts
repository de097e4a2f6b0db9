import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePointLength, compareCodePoints, stepBack, stepForward } from '../../../src/core/code-points.ts';

const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', '\u{7ff}', '\ud7ff', '\ue000', '\uff5e', '\u{10000}', '\u{1f600}', '\u{10ffff}', '\0', '\n'),
  maxLength: 12,
});

describe('strings by code points', () => {
  it('puts U+FF5E before U+1F600, which UTF-16 units do not', { tags: ['SE-41'] }, () => {
    expect(['\u{1f600}', '\uff5e'].sort(compareCodePoints)).toEqual(['\uff5e', '\u{1f600}']);
    expect(['\u{1f600}', '\uff5e'].sort()).toEqual(['\u{1f600}', '\uff5e']);
  });

  it('orders as the UTF-8 bytes do', { tags: ['SE-41'] }, () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  it('counts and steps as an array of code points does', () => {
    fc.assert(
      fc.property(text, fc.nat(14), fc.nat(14), (value, at, count) => {
        const points = [...value];
        expect(codePointLength(value)).toBe(points.length);
        const index = points.slice(0, at).join('').length;
        expect(stepForward(value, index, count)).toBe(points.slice(0, Math.min(at, points.length) + count).join('').length);
        expect(stepBack(value, index, count)).toBe(points.slice(0, Math.max(0, Math.min(at, points.length) - count)).join('').length);
      }),
    );
  });

  it('counts a lone surrogate as one', () => {
    expect(codePointLength('\ud800a\udc00')).toBe(3);
  });
});
