import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ndjsonOf } from '../../../../src/surfaces/client/ndjson.ts';
import { all, cut, cuts, text } from './pieces.ts';

describe('the reader of JSON lines', () => {
  it('reads JSON lines wherever the chunks are cut, with or without a last end of line', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ a: text, n: fc.integer() })), cuts, fc.boolean(), async (values, at, ended) => {
        const lines = values.map((value) => JSON.stringify(value)).join('\n') + (ended ? '\n' : '');
        expect(await all(ndjsonOf(cut(lines, at)))).toEqual(values);
      }),
    );
  });
});
