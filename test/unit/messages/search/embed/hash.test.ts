import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fnv1a64 } from '../../../../../src/messages/search/embed/fnv.ts';
import { createHashEmbedder } from '../../../../../src/messages/search/embed/hash.ts';

/** Places and what is at them before the length is made 1, computed by a Python program of ten lines with its whole numbers. */
const GOLDEN: readonly (readonly [string, readonly (readonly [number, number])[]])[] = [
  ['hello', [[267, 1]]],
  [
    'hello world',
    [
      [267, 1],
      [371, -1],
    ],
  ],
  [
    'migration of the urgent plan',
    [
      [107, -1],
      [178, 1],
      [240, 1],
      [252, -1],
      [264, -1],
    ],
  ],
  ['Hello, HELLO! hello?', [[267, 3]]],
  [
    'a b c é x1 1',
    [
      [1, -1],
      [66, -1],
    ],
  ],
  [
    'Straße ΣΟΦΟΣ 東京 naïve',
    [
      [43, -1],
      [47, -1],
      [120, -1],
      [207, -1],
    ],
  ],
  [
    'POL-358: deploy build_plan.ts at 12:30',
    [
      [112, -1],
      [131, 1],
      [132, -1],
      [138, -1],
      [178, 1],
      [232, -1],
      [286, 1],
      [311, -1],
      [342, -1],
    ],
  ],
  [
    'ab ab ab cd 😀 ½ Ⅷ',
    [
      [98, -1],
      [213, -1],
      [234, -3],
      [296, -1],
    ],
  ],
];

const HASHES: readonly (readonly [string, string])[] = [
  ['', 'cbf29ce484222325'],
  ['a', 'af63dc4c8601ec8c'],
  ['foobar', '85944171f73967e8'],
  ['hello', 'a430d84680aabd0b'],
  ['world', '4f59ff5e730c8af3'],
  ['migration', '1a41c301035a106b'],
  ['urgent', '83d70efcf21801f0'],
];

describe('the hash embedder', () => {
  const embedder = createHashEmbedder();
  const vectorOf = async (text: string): Promise<number[]> => [...((await embedder.embed([text]))[0] ?? [])];

  it('names itself and its dimension', { tags: ['MS-165'] }, () => {
    expect(embedder).toMatchObject({ id: 'fnv1a-384', dimension: 384 });
  });

  it.each(HASHES)('hashes %j as FNV-1a of 64 bits does', (word, hash) => {
    const { high, low } = fnv1a64(new TextEncoder().encode(word));
    expect(((BigInt(high) << 32n) | BigInt(low)).toString(16).padStart(16, '0')).toBe(hash);
  });

  it.each(GOLDEN)('makes the known vector of %j', async (text, places) => {
    const length = Math.hypot(...places.map(([, value]) => value));
    const expected = new Float32Array(384);
    for (const [place, value] of places) expected[place] = value / length;
    expect(await vectorOf(text)).toEqual([...expected]);
  });

  it('says the same in every direction of a text without words', async () => {
    expect(await vectorOf('!!! ... ---')).toEqual(Array.from({ length: 384 }, () => Math.fround(1 / Math.sqrt(384))));
  });

  it('refuses an empty text', async () => {
    await expect(embedder.embed(['one', ''])).rejects.toThrow('empty');
  });

  it('makes vectors of length 1, or of zeros, whose order of words and case says nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 }), async (words) => {
        const vector = await vectorOf(words.join(' | '));
        const length = Math.hypot(...vector);
        expect(length === 0 || Math.abs(length - 1) < 1e-6).toBe(true);
        expect(await vectorOf(words.toReversed().join(' ; '))).toEqual(vector);
      }),
      { numRuns: 50 },
    );
  });
});
