import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOf } from '../../../../src/surfaces/client/lines.ts';
import { all, cut, cuts, text } from './pieces.ts';

describe('the reader of lines', () => {
  it('finds the same lines wherever the chunks are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, fc.constantFrom('\n', '\r\n')), { maxLength: 8 }), cuts, async (lines, at) => {
        expect(await all(linesOf(cut(lines.flat().join(''), at)))).toEqual(lines.map(([line]) => line));
      }),
    );
  });

  it('refuses a line without an end', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield new Uint8Array(1024 * 1024).fill(97);
    }
    await expect(all(linesOf(endless()))).rejects.toThrow('line without an end');
  });
});
