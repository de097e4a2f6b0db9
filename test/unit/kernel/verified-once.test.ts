import { describe, expect, it } from 'vitest';
import { verifiedOnce } from '../../../src/kernel/verified-once.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('a verification that remembers', () => {
  it('asks once for a good signature, and again for every other text, signature and key, and for a bad one', async () => {
    const asked: string[] = [];
    const ed25519 = verifiedOnce(
      {
        sign: async () => bytes('signed'),
        async verify(message, signature, key) {
          asked.push([message, signature, key].map(String).join());
          return String(signature) === 'good';
        },
      },
      10,
    );
    const verify = (...parts: readonly [string, string, string]) => ed25519.verify(bytes(parts[0]), bytes(parts[1]), bytes(parts[2]));
    for (let n = 0; n < 3; n += 1) expect(await verify('m', 'good', 'key')).toBe(true);
    expect(asked).toHaveLength(1);
    expect(await verify('other', 'good', 'key')).toBe(true);
    expect(await verify('m', 'good', 'yek')).toBe(true);
    // The same bytes, divided in another way.
    expect(await verify('m', 'goodk', 'ey')).toBe(false);
    for (let n = 0; n < 2; n += 1) expect(await verify('m', 'bad', 'key')).toBe(false);
    expect(asked).toHaveLength(6);
    expect(String(await ed25519.sign(bytes('m'), bytes('k')))).toBe('signed');
  });
});
