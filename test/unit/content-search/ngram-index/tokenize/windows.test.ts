import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTokenizer, type Tokens } from '../../../../../src/content-search/ngram-index/tokenize/tokenizer.ts';
import { gramTexts } from '../../../../../src/content-search/ngram-index/tokenize/trigrams.ts';
import { createWindowTokenizer, MAX_WINDOWS, textBytes } from '../../../../../src/content-search/ngram-index/tokenize/windows.ts';
import { file } from '../../../../fixtures/content-index/hostile.ts';
import { cases } from '../../../../support/oracle-runs.ts';
import { createRandom } from '../../../../support/random.ts';

const WINDOW = 256;

/** Window after window, as a reader of files gives them; undefined if it gave up. */
function inWindows(bytes: Buffer, ngramK: number, windowBytes = WINDOW): { readonly tokens: Tokens | undefined; readonly windows: number } {
  const windows = createWindowTokenizer({ ngramK, maxTokenizedBytes: windowBytes });
  windows.begin();
  let count = 0;
  for (let at = 0; ; ) {
    const isLast = at + windowBytes >= bytes.length;
    const done = windows.take(bytes.subarray(at, at + windowBytes), isLast);
    count += 1;
    if (done === undefined) return { tokens: undefined, windows: count };
    if (isLast) return { tokens: windows.finish(), windows: count };
    at += done;
  }
}

/** Mostly what can be taken, with broken bytes among it; now and then anything. */
const PLAIN = ['a', 'needle ', 'é', '\r\n', '\n', '\r', '中文', '😀', '\ufffd', 'Å', ' '].map((text) => Buffer.from(text));
const BROKEN = [Buffer.of(0xff), Buffer.of(0xe2, 0x82), Buffer.of(0x80, 0x80, 0x80)];
const part = fc.oneof(
  { weight: 190, arbitrary: fc.constantFrom(...PLAIN) },
  { weight: 9, arbitrary: fc.constantFrom(...BROKEN) },
  { weight: 1, arbitrary: file },
);

const wholly = (bytes: Buffer, ngramK: number): Tokens => createTokenizer({ ngramK, maxTokenizedBytes: 1 << 24 })(bytes);
const sorted = ({ grams }: Tokens): string[] => [...gramTexts(grams)].sort();

describe('a file in windows', () => {
  it('has the n-grams, the mark and the kind of the whole text, wherever it is cut; or it is given up', { tags: ['FR-LSI-CAND-01'] }, () => {
    let [taken, given, many] = [0, 0, 0];
    fc.assert(
      fc.property(fc.array(part, { minLength: 100, maxLength: 400, size: 'max' }), fc.constantFrom(1, 2, 3, 3, 4, 8), (parts, k) => {
        const bytes = Buffer.concat(parts);
        const { tokens, windows } = inWindows(bytes, k);
        const whole = wholly(bytes, k);
        if (windows > 2) many += 1;
        if (tokens === undefined) {
          given += 1;
          // Only what could not be told anyway, or where no character of ASCII is in sight.
          expect(whole.nfcStable === false || /[^\0-\x7f]{40}/.test(bytes.toString('utf8'))).toBe(true);
          return;
        }
        taken += 1;
        expect({ status: tokens.status, bom: tokens.bom, complete: tokens.tokenComplete }).toEqual({
          status: whole.status,
          bom: whole.bom,
          complete: whole.tokenComplete,
        });
        if (whole.status !== 'FULL') return;
        expect(whole.nfcStable).toBe(true);
        expect(sorted(tokens)).toEqual(sorted(whole));
      }),
      // So many that the counts below stand far above their bound, in a quarter of them, too.
      { numRuns: cases(1440) },
    );
    expect(Math.min(taken, given, many)).toBeGreaterThan(5);
  });

  it('has the n-grams across each cut, CRLF as one character', () => {
    const bytes = Buffer.from(Array.from({ length: 400 }, (_, at) => `w${at}é\r\n`).join(''));
    for (const k of [2, 3, 8]) {
      const { tokens, windows } = inWindows(bytes, k);
      expect(windows).toBeGreaterThan(10);
      expect(tokens === undefined ? [] : sorted(tokens)).toEqual(sorted(wholly(bytes, k)));
    }
  });

  it('is given up where normalization would change it, at whatever side of a cut', () => {
    for (let at = 240; at < 270; at += 1) expect(inWindows(Buffer.from(`${'x'.repeat(at)}e\u0301${'y'.repeat(300)}`), 3).tokens).toBeUndefined();
  });

  it('is given up without a character of ASCII in a window, and beyond a quarter of a million n-grams', () => {
    expect(inWindows(Buffer.from('中'.repeat(300)), 3).tokens).toBeUndefined();
    const random = createRandom(1);
    const noise = Buffer.from(Array.from({ length: 600_000 }, () => random.integer(128)));
    expect(inWindows(noise, 3, 300_000).tokens === undefined).toBe(true);
  });

  it('begins anew with each file', () => {
    const windows = createWindowTokenizer({ ngramK: 3, maxTokenizedBytes: WINDOW });
    windows.begin();
    windows.take(Buffer.from('\ufeffabcdef'), false);
    windows.begin();
    windows.take(Buffer.from('xyz'), true);
    const tokens = windows.finish();
    expect([...gramTexts(tokens.grams)]).toEqual(['xyz']);
    expect(tokens).toMatchObject({ status: 'FULL', bom: false, tokenizedBytes: 3 });
  });
});

describe('the text of a file', () => {
  it('counts whole up to a window, in part beyond, and not at all where it is not tokenized', () => {
    expect(textBytes(1000, 1 << 20)).toBe(1000);
    expect(textBytes(3 << 20, 1 << 20)).toBe(3 << 20);
    expect(textBytes(50 << 20, 1 << 20)).toBe(4 << 20);
    expect(textBytes((MAX_WINDOWS << 20) + 1, 1 << 20)).toBe(0);
  });
});
