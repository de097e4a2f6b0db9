import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTranscoded, LONG_LINE_BYTES, longLines } from '../../../../src/content-search/run/long-lines.ts';
import { readerOf } from './reader.ts';

const found = (bytes: Buffer): readonly [number, string][] =>
  [...longLines(readerOf(bytes))].flatMap((one) => (one === undefined ? [] : [[one.line, one.head.toString('latin1')]]));

function utf32(text: string, write: 'writeUInt32LE' | 'writeUInt32BE'): Buffer {
  return Buffer.concat(
    Array.from(text, (character) => {
      const bytes = Buffer.alloc(4);
      bytes[write](character.codePointAt(0) ?? 0);
      return bytes;
    }),
  );
}

const ENCODINGS = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16LE': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16BE': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'UTF-32LE': (text) => utf32(`\ufeff${text}`, 'writeUInt32LE'),
  'UTF-32BE': (text) => utf32(`\ufeff${text}`, 'writeUInt32BE'),
} satisfies Record<string, (text: string) => Buffer>;

describe('the long lines of a file', () => {
  it.each(Object.entries(ENCODINGS))('are found with their numbers and beginnings: %s', (name, encode) => {
    const text = ['short', 'é😀'.repeat(90_000), '', 'x'.repeat(LONG_LINE_BYTES - 1), 'y'.repeat(LONG_LINE_BYTES)].join('\n');
    const heads = found(encode(text));
    expect(heads.map(([line]) => line)).toEqual([2, 5]);
    expect(
      heads.map(([, head]) =>
        Buffer.from(head, 'latin1').equals(Buffer.from(text.split('\n')[head.startsWith('y') ? 4 : 1] ?? '').subarray(0, LONG_LINE_BYTES)),
      ),
    ).toEqual([true, true]);
    expect(isTranscoded(readerOf(encode(text)))).toBe(/16|32/.test(name));
  });

  it('are those of any lengths in any order', () => {
    const length = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: LONG_LINE_BYTES - 2, max: LONG_LINE_BYTES + 2 }), fc.constant(300_000));
    fc.assert(
      fc.property(fc.array(length, { maxLength: 6 }), (lengths) => {
        const text = lengths.map((one) => 'x'.repeat(one)).join('\n');
        expect(found(Buffer.from(text)).map(([line]) => line)).toEqual(lengths.flatMap((one, at) => (one >= LONG_LINE_BYTES ? [at + 1] : [])));
      }),
      { numRuns: 40 },
    );
  });

  it('have U+FFFD for what no encoding has', () => {
    const beyond = Buffer.from([0xff, 0xfe, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    const text = 'x'.repeat(LONG_LINE_BYTES);
    expect(found(Buffer.concat([beyond, utf32(text, 'writeUInt32LE')]))[0]?.[1].slice(0, 4)).toBe('\u00ef\u00bf\u00bdx');
  });
});
