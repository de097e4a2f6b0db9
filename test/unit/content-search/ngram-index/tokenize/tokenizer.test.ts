import { describe, expect, it } from 'vitest';
import { createTokenizer, TOKENIZER_DEFAULTS, type Tokens, tokenizerId } from '../../../../../src/content-search/ngram-index/tokenize/tokenizer.ts';
import { gramTexts } from '../../../../../src/content-search/ngram-index/tokenize/trigrams.ts';
import { GOLDEN } from '../../../../fixtures/content-index/golden.ts';

const tokenize = createTokenizer(TOKENIZER_DEFAULTS);
const tokensOf = (text: string): Tokens => tokenize(Buffer.from(text, 'utf8'));
const gramsOf = (tokens: Tokens): string[] => [...gramTexts(tokens.grams)];
const byCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('the tokenizer', () => {
  it.each(GOLDEN.files.map((file) => [`${file.name}, k = ${file.k}, at most ${file.max} bytes`, file] as const))(
    'gives the golden n-grams of a file made by an independent program: %s',
    { tags: ['T-LSI-TOK-01'] },
    (_, file) => {
      const tokens = createTokenizer({ ngramK: file.k, maxTokenizedBytes: file.max })(Buffer.from(file.hex, 'hex'));
      expect(tokens).toMatchObject({ status: file.status, length: file.length, tokenComplete: file.token_complete, nfcStable: file.nfc_stable });
      expect(gramsOf(tokens).sort(byCodePoints)).toEqual(file.grams);
      expect(tokens.tokenizedBytes).toBe(file.status === 'FULL' ? file.hex.length / 2 : 0);
    },
  );

  it('has the defaults of the specification', { tags: ['LSI-BLOOM-CFG-01', 'LSI-BLOOM-CFG-03'] }, () => {
    expect(TOKENIZER_DEFAULTS).toEqual({ ngramK: 3, maxTokenizedBytes: 1024 * 1024 });
  });

  it('takes a file of the largest size, and none that is a byte larger', { tags: ['FR-LSI-TOK-01.4'] }, () => {
    const small = createTokenizer({ ngramK: 3, maxTokenizedBytes: 8 });
    expect(small(Buffer.from('12345678'))).toMatchObject({ status: 'FULL', tokenizedBytes: 8, tokenComplete: true });
    const refused = small(Buffer.from('123456789'));
    expect(refused).toMatchObject({ status: 'SKIPPED_TOO_LARGE', tokenizedBytes: 0, tokenComplete: false, nfcStable: false, length: 0 });
    expect(gramsOf(refused)).toEqual([]);
  });

  it('looks at the size before anything else: a large binary file is too large', { tags: ['FR-LSI-TOK-01.4'] }, () => {
    expect(createTokenizer({ ngramK: 3, maxTokenizedBytes: 8 })(Buffer.alloc(9, 0xff)).status).toBe('SKIPPED_TOO_LARGE');
  });

  it('replaces each maximal part of an invalid sequence by one U+FFFD, as the WHATWG does', { tags: ['FR-LSI-TOK-01.1'] }, () => {
    const text = (...bytes: number[]): Tokens => tokenize(Buffer.from([...Buffer.from('abcdefgh'), ...bytes, 0x7a]));
    expect(text(0xe2, 0x82).length).toBe(10);
    expect(text(0xf0, 0x9f, 0x98).length).toBe(10);
    expect(text(0xed, 0xa0, 0x80).length).toBe(12);
    expect(text(0xc1, 0xa1).length).toBe(11);
    expect(gramsOf(text(0xe2, 0x82))).toContain('h\ufffdz');
  });

  it('calls a file binary when more than half of its characters are U+FFFD, half is text', { tags: ['FR-LSI-TOK-01.2'] }, () => {
    const ofShare = (bad: number, good: number): string => tokenize(Buffer.from([...Buffer.alloc(bad, 0xff), ...Buffer.alloc(good, 0x61)])).status;
    expect(ofShare(50, 50)).toBe('FULL');
    expect(ofShare(51, 49)).toBe('SKIPPED_BINARY');
    expect(ofShare(1, 0)).toBe('SKIPPED_BINARY');
  });

  it('counts characters and not UTF-16 units in that share, and U+FFFD that was written counts too', { tags: ['FR-LSI-TOK-01.2'] }, () => {
    expect(tokensOf('😀😀\ufffd\ufffd').status).toBe('FULL');
    expect(tokensOf('😀😀\ufffd\ufffd\ufffd').status).toBe('SKIPPED_BINARY');
    expect(tokensOf('\ue000\ue001\ufffd\ufffd').status).toBe('FULL');
  });

  it('takes an empty file for text without n-grams', { tags: ['FR-LSI-TOK-01.3'] }, () => {
    expect(tokensOf('')).toMatchObject({ status: 'FULL', tokenComplete: false, nfcStable: true, bom: false, length: 0, tokenizedBytes: 0 });
  });

  it('normalizes to NFC before it takes n-grams, and tells that it had to', { tags: ['FR-LSI-TOK-02'] }, () => {
    const decomposed = tokensOf('cafe\u0301s');
    expect(gramsOf(decomposed)).toEqual(['caf', 'af\u00e9', 'f\u00e9s']);
    expect(decomposed.nfcStable).toBe(false);
    expect(tokensOf('caf\u00e9s').nfcStable).toBe(true);
    // Jamo and the Kelvin sign have no mark that combines; a ligature is its own under NFC.
    expect(gramsOf(tokensOf('a\u1112\u1161\u11abb'))).toEqual(['a\ud55cb']);
    expect(gramsOf(tokensOf('1\u212a2'))).toEqual(['1K2']);
    expect(gramsOf(tokensOf('1\ufb012'))).toEqual(['1\ufb012']);
  });

  it('gives a composed and a decomposed file the same n-grams', { tags: ['T-LSI-TOK-03'] }, () => {
    const composed = tokensOf('\u00c5ngstr\u00f6m \uac01 \u01f0');
    const decomposed = tokensOf('A\u030angstro\u0308m \u1100\u1161\u11a8 j\u030c');
    expect(gramsOf(decomposed)).toEqual(gramsOf(composed));
    expect(decomposed.length).toBe(composed.length);
  });

  it('takes CRLF as LF, and keeps a CR that stands alone', { tags: ['FR-LSI-TOK-03.1'] }, () => {
    expect(gramsOf(tokensOf('a\r\nb'))).toEqual(['a\nb']);
    expect(gramsOf(tokensOf('a\rb'))).toEqual(['a\rb']);
    expect(gramsOf(tokensOf('a\r\r\nb'))).toEqual(['a\r\n', '\r\nb']);
    expect(gramsOf(tokensOf('é\r\nb'))).toEqual(['é\nb']);
    expect(gramsOf(tokensOf('é\rb'))).toEqual(['é\rb']);
    expect(gramsOf(tokensOf('é1\r'))).toEqual(['é1\r']);
  });

  it.each(['one\ntwo\n\nthree\n', 'ün\ndeux\n\ntröis\n', '\n\n\n'])(
    'gives a text with LF and the same with CRLF identical n-grams: %j',
    { tags: ['T-LSI-TOK-02'] },
    (text) => {
      const windows = tokensOf(text.replaceAll('\n', '\r\n'));
      expect({ ...windows, tokenizedBytes: 0 }).toEqual({ ...tokensOf(text), tokenizedBytes: 0 });
    },
  );

  it('lets n-grams go over the ends of lines', { tags: ['FR-LSI-TOK-03.2'] }, () => {
    expect(gramsOf(tokensOf('xa\nby'))).toEqual(['xa\n', 'a\nb', '\nby']);
  });

  it('extracts every n-gram: as many places as length - k + 1', { tags: ['FR-LSI-TOK-05.1'] }, () => {
    expect(gramsOf(tokensOf('abcdé'))).toEqual(['abc', 'bcd', 'cdé']);
    for (const file of GOLDEN.files) expect(file.occurrences).toBe(Math.max(0, file.length - file.k + 1));
  });

  it('says that a file shorter than an n-gram is not complete, so that it stays a candidate', { tags: ['FR-LSI-TOK-05.2'] }, () => {
    for (const text of ['', 'a', 'ab', '😀é', 'a\r\n']) expect(tokensOf(text)).toMatchObject({ status: 'FULL', tokenComplete: false });
    for (const text of ['abc', '😀é\n']) expect(tokensOf(text)).toMatchObject({ status: 'FULL', tokenComplete: true });
  });

  it('keeps a byte order mark in the text, and tells of every kind of one', () => {
    const marked = tokensOf('\ufeffab');
    expect(marked.bom).toBe(true);
    expect(gramsOf(marked)).toEqual(['\ufeffab']);
    const marks = [
      [0xef, 0xbb, 0xbf],
      [0xff, 0xfe],
      [0xfe, 0xff],
      [0xff, 0xfe, 0, 0],
      [0, 0, 0xfe, 0xff],
    ];
    for (const mark of marks) expect(tokenize(Buffer.from([...mark, 0x61, 0, 0x62, 0])).bom).toBe(true);
    const others = [[0xef, 0xbb], [0xfe], [0xff], [0, 0, 0xff, 0xfe], [0, 0, 0xfe], []];
    for (const begin of others) expect(tokenize(Buffer.from([...begin, 0x61])).bom).toBe(false);
  });

  it('tells of a byte order mark in files that it skips', () => {
    expect(createTokenizer({ ngramK: 3, maxTokenizedBytes: 2 })(Buffer.from('\ufeffabc')).bom).toBe(true);
  });

  it('forgets a file before the next one, also after one that was not ASCII or not text', () => {
    const first = gramsOf(tokensOf('abcdef'));
    for (const between of ['xyz é xyz', 'éàü'.repeat(5000), '\ufffd', 'q'.repeat(9000)]) {
      tokensOf(between);
      expect(gramsOf(tokensOf('abcdef'))).toEqual(first);
    }
  });

  it('refuses an n-gram of no or too many characters', () => {
    for (const ngramK of [0, 9, 2.5, Number.NaN]) expect(() => createTokenizer({ ngramK, maxTokenizedBytes: 100 })).toThrow('1 to 8 characters');
    for (const ngramK of [1, 8]) expect(createTokenizer({ ngramK, maxTokenizedBytes: 100 })(Buffer.from('12345678')).tokenComplete).toBe(true);
  });

  it('has an identity that changes with everything that changes n-grams or their folding', { tags: ['FR-LSI-TOK-04.4'] }, () => {
    const ids = [
      tokenizerId(TOKENIZER_DEFAULTS, 'ASCII', '15.0'),
      tokenizerId(TOKENIZER_DEFAULTS, 'UNICODE_SIMPLE', '15.0'),
      tokenizerId(TOKENIZER_DEFAULTS, 'ASCII', '16.0'),
      tokenizerId({ ...TOKENIZER_DEFAULTS, ngramK: 4 }, 'ASCII', '15.0'),
      tokenizerId({ ...TOKENIZER_DEFAULTS, maxTokenizedBytes: 7 }, 'ASCII', '15.0'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[1]).toBe('writ-tokenizer-2;k=3;max=1048576;nfc=15.0;fold=UNICODE_SIMPLE@15.0.0;bits=xxh64-exact');
  });
});
