import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SCRUBBED, scrubber } from '../../../../src/adapters/http-tool/scrub.ts';
import { readsInProportion } from '../../../support/growth.ts';

const SECRET = 'p@ss"w/rd+ü\\1';
const ENCODINGS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'percent-encoded': encodeURIComponent,
  'percent-encoded in lower case': (secret) => encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase()),
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'percent-encoded in every byte': (secret) => [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'as a form field': (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
  'as JSON': (secret) => JSON.stringify(secret).slice(1, -1),
  'as JSON in JSON': (secret) => JSON.stringify(JSON.stringify(secret)).slice(1, -1),
  'as JSON escapes': (secret) => [...Array(secret.length).keys()].map((at) => `\\u${secret.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  'as HTML': (secret) => secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  'as numeric entities': (secret) => [...secret].map((char) => `&#${char.codePointAt(0)};`).join(''),
  base64: (secret) => Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  hexadecimal: (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
};

describe('a scrubber', () => {
  it.each(Object.entries(ENCODINGS))('finds a secret %s', (_, encode) => {
    const text = scrubber([SECRET]).text(`before ${encode(SECRET)} after`);
    expect(text).toContain(SCRUBBED);
    expect(text.startsWith('before ') && text.endsWith(' after')).toBe(true);
  });

  it('finds any secret in any of these encodings', () => {
    const secrets = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }).filter((secret) => secret.isWellFormed());
    fc.assert(
      fc.property(secrets, fc.constantFrom(...Object.values(ENCODINGS)), (secret, encode) => {
        const encoded = encode(secret);
        const scrubbed = scrubber([secret]).text(`<<${encoded}>>`);
        expect(scrubbed.includes(encoded)).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it('finds a secret inside base64 of more, at every alignment', () => {
    for (const before of ['', 'a', 'ab', 'abc', 'user:']) {
      const text = Buffer.from(`${before}${SECRET}xyz`).toString('base64');
      expect(scrubber([SECRET]).text(text)).toContain(SCRUBBED);
    }
  });

  it('knows that credentials in base64 are secret when they are decoded, too', () => {
    const credentials = Buffer.from('ada:correct horse').toString('base64');
    expect(scrubber([credentials]).text('you are ada:correct horse')).toBe(`you are ${SCRUBBED}`);
  });

  it('looks into keys, values and numbers at every depth', () => {
    const scrub = scrubber(['12345678', SECRET]);
    expect(scrub.object({ a: [{ [`k${SECRET}`]: SECRET, n: 12345678, ok: 1 }], b: null, c: true })).toEqual({
      a: [{ [`k${SCRUBBED}`]: SCRUBBED, n: SCRUBBED, ok: 1 }],
      b: null,
      c: true,
    });
  });

  it('takes time in proportion to the text, also for texts made to be slow', () => {
    const scrub = scrubber(['\\\\\\\\secret%%%%&&&&', 'aaaaaaaaaaaaaaaaaaaaaaaa']);
    for (const piece of ['\\', '%25', '&#0000', 'a', '\\u005c'])
      expect([piece, readsInProportion((text) => void scrub.text(text), piece, 1_000_000)]).toEqual([piece, true]);
  });

  it('leaves everything alone without secrets', () => {
    expect(scrubber([]).object({ a: 'b' })).toEqual({ a: 'b' });
  });
});
