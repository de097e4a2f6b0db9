import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareForOrder, isAscii, lossyText, orderKey } from '../../../../src/content-search/search/order-key.ts';

const bytes = fc.uint8Array({ maxLength: 12 }).map((each) => Buffer.from(each));
const text = fc.string({ unit: 'grapheme-composite', maxLength: 12 });
const joined = (parts: readonly Buffer[]): Buffer => Buffer.concat(parts.flatMap((part, at) => (at === 0 ? [part] : [Buffer.from('/'), part])));

describe('the key of a path', () => {
  it('is its NFC form as UTF-8, so both forms of a name have the same key', { tags: ['LSI-PATH-12'] }, () => {
    expect(orderKey('cafe\u0301/x')).toEqual(Buffer.from('caf\u00e9/x'));
    expect(orderKey('caf\u00e9/x')).toEqual(orderKey('cafe\u0301/x'));
  });

  it('has U+FFFD for each maximal piece that is not UTF-8, as to_string_lossy of Rust', { tags: ['LSI-PATH-11'] }, () => {
    const vectors: readonly (readonly [readonly number[], string])[] = [
      [[0x61, 0xff, 0x62], 'a\ufffdb'],
      [[0xe2, 0x82], '\ufffd'],
      [[0xe2, 0x82, 0x61], '\ufffda'],
      [[0xf0, 0x9f, 0x98], '\ufffd'],
      [[0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
      [[0xc1, 0xa1], '\ufffd\ufffd'],
      [[0xf4, 0x90, 0x80, 0x80], '\ufffd\ufffd\ufffd\ufffd'],
    ];
    for (const [raw, shown] of vectors) expect(lossyText(Buffer.from(raw))).toBe(shown);
  });

  it('may be made name by name', { tags: ['LSI-PATH-10'] }, () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            bytes,
            text.map((each) => Buffer.from(each)),
          ),
          { maxLength: 4 },
        ),
        (names) => {
          expect(orderKey(joined(names))).toEqual(joined(names.map(orderKey)));
        },
      ),
    );
  });
});

describe('the order of paths', () => {
  it('is the order of the bytes of their keys, not of a locale and not of UTF-16', { tags: ['LSI-PATH-13', 'FR-LSI-ORD-03.1'] }, () => {
    const golden = ['B', 'a', 'a b', 'a-b/x', 'a.txt', 'a/B', 'a/b', 'a/sub/y', 'z', 'é', '\uff5a', '\u{10400}'];
    expect([...golden].reverse().sort(compareForOrder)).toEqual(golden);
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareForOrder(a, b))).toBe(Math.sign(Buffer.compare(orderKey(a), orderKey(b)) || Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
  });

  it('puts a path before those that begin with it', { tags: ['LSI-PATH-14'] }, () => {
    fc.assert(
      fc.property(text, fc.string({ minLength: 1 }), (path, rest) => {
        expect(compareForOrder(path, `${path}/${rest}`)).toBeLessThan(0);
      }),
    );
  });

  it('is decided by the bytes where keys are equal, so it is the same however names come', { tags: ['T-LSI-DET-03'] }, () => {
    const twins = [Buffer.from('cafe\u0301'), Buffer.from('caf\u00e9'), Buffer.from([0xff]), Buffer.from([0xfe])];
    const sorted = [...twins].sort(compareForOrder);
    expect(sorted).toEqual([twins[0], twins[1], twins[3], twins[2]]);
    expect([...twins].reverse().sort(compareForOrder)).toEqual(sorted);
  });

  it('is the order of strings where these are ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), fc.string({ unit: 'binary-ascii' }), (a, b) => {
        expect([isAscii(a), Math.sign(compareForOrder(a, b))]).toEqual([true, a < b ? -1 : a > b ? 1 : 0]);
      }),
    );
    expect(isAscii('\u0080')).toBe(false);
  });
});
