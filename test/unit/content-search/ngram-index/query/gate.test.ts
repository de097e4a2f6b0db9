import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type FileFacts, fileVeto, patternVeto } from '../../../../../src/content-search/ngram-index/query/gate.ts';
import type { PlannedSearch } from '../../../../../src/content-search/ngram-index/query/query-plan.ts';
import { createTokenizer, TOKENIZER_DEFAULTS } from '../../../../../src/content-search/ngram-index/tokenize/tokenizer.ts';
import { gramsOf, gramTexts } from '../../../../../src/content-search/ngram-index/tokenize/trigrams.ts';
import { couldFind } from '../../../../fixtures/content-index/byte-search.ts';
import { type Decision, decide, folding, LITERAL } from '../../../../fixtures/content-index/decide.ts';

const good: FileFacts = { status: 'FULL', tokenComplete: true, nfcStable: true, bom: false, fresh: true, catalogued: true, ownerMayRead: true };
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const utf32 = (text: string, bigEndian: boolean): Buffer =>
  Buffer.concat(
    Array.from(text, (character) => {
      const unit = Buffer.alloc(4);
      if (bigEndian) unit.writeUInt32BE(character.codePointAt(0) ?? 0);
      else unit.writeUInt32LE(character.codePointAt(0) ?? 0);
      return unit;
    }),
  );

/** A row of the table of traps (local-search note 2e): what is in the file, what is looked for, and what must come of it. */
interface Trap {
  readonly row: number;
  readonly what: string;
  readonly file: string | Buffer;
  readonly pattern: string;
  readonly search?: Partial<PlannedSearch>;
  readonly strategy?: 'ASCII' | 'UNICODE_SIMPLE';
  readonly facts?: Partial<FileFacts>;
  readonly decision: Decision;
  /** The seed's rule (normalize both, look for an absent n-gram) leaves the file out although a backend finds the pattern. */
  readonly lostBySeed?: true;
}

const TRAPS: readonly Trap[] = [
  { row: 1, what: 'a decomposed letter in the file, its base in the pattern', file: 'cafe\u0301', pattern: 'cafe', decision: 'NOT_NFC', lostBySeed: true },
  { row: 2, what: 'a pattern that begins with a combining mark', file: 'e\u0301xy', pattern: '\u0301xy', decision: 'NOT_NFC', lostBySeed: true },
  { row: 3, what: 'conjoining Jamo', file: 'xx\u1100\u1161\u11a8', pattern: 'xx\u1100\u1161', decision: 'NOT_NFC', lostBySeed: true },
  { row: 4, what: 'a syllable and a trailing Jamo, the pattern being NFC', file: 'xx\uac00\u11a8', pattern: 'xx\uac00', decision: 'NOT_NFC', lostBySeed: true },
  {
    row: 5,
    what: 'an NFC file whose folding would compose',
    file: 'J\u030cxx',
    pattern: 'j\u030cxx',
    search: { ignoreCase: true },
    decision: 'NOT_NFC',
    lostBySeed: true,
  },
  { row: 6, what: 'a decomposed file and a composed pattern', file: 'xcafe\u0301', pattern: 'caf\u00e9', decision: 'NOT_NFC' },
  { row: 6, what: 'a composed file and a decomposed pattern', file: 'xcaf\u00e9', pattern: 'cafe\u0301', decision: 'NOT_NFC' },
  { row: 7, what: 'the CR of a CRLF', file: 'foo\r\n', pattern: 'foo\r', decision: 'LINE_BREAK', lostBySeed: true },
  { row: 8, what: 'a pattern of two lines', file: 'foo\nzzz', pattern: 'foo\nbar', decision: 'LINE_BREAK', lostBySeed: true },
  {
    row: 9,
    what: 'UTF-16LE with a mark',
    file: Buffer.from('\ufeffa needle here', 'utf16le'),
    pattern: 'needle',
    decision: 'BYTE_ORDER_MARK',
    lostBySeed: true,
  },
  { row: 9, what: 'UTF-16BE with a mark', file: utf16be('\ufeffa needle here'), pattern: 'needle', decision: 'BYTE_ORDER_MARK', lostBySeed: true },
  { row: 10, what: 'UTF-32LE with a mark', file: utf32('\ufeffa needle here', false), pattern: 'needle', decision: 'BYTE_ORDER_MARK', lostBySeed: true },
  { row: 10, what: 'UTF-32BE with a mark', file: utf32('\ufeffa needle here', true), pattern: 'needle', decision: 'BYTE_ORDER_MARK', lostBySeed: true },
  { row: 11, what: 'the long s', file: '\u017fource', pattern: 'source', search: { ignoreCase: true }, decision: 'candidate' },
  {
    row: 11,
    what: 'the long s, by a backend that is said to fold ASCII',
    file: '\u017fource',
    pattern: 'SOURCE',
    search: { ignoreCase: true },
    strategy: 'ASCII',
    decision: 'candidate',
  },
  { row: 11, what: 'the Kelvin sign', file: '\u212aelvin', pattern: 'kelvin', search: { ignoreCase: true }, decision: 'NOT_NFC' },
  { row: 12, what: 'UTF-8 with a mark', file: '\ufefffoo', pattern: '\ufefffoo', decision: 'BYTE_ORDER_MARK' },
  { row: 13, what: 'UTF-16 without a mark', file: Buffer.from('a needle here', 'utf16le'), pattern: 'needle', decision: 'excluded' },
  { row: 13, what: 'Latin-1', file: Buffer.from('plain na\xefve text', 'latin1'), pattern: 'na\u00efve', decision: 'excluded' },
  { row: 13, what: 'a compressed file', file: gzipSync('needle'.repeat(100)), pattern: 'needleneedle', decision: 'excluded' },
  { row: 13, what: 'an overlong form', file: Buffer.from('xx \xc1\xa1bc some more text', 'latin1'), pattern: 'abc', decision: 'excluded' },
  { row: 13, what: 'CESU-8', file: Buffer.from('some text \xed\xa0\xbd\xed\xb8\x80 and more of it', 'latin1'), pattern: ' 😀 ', decision: 'excluded' },
  { row: 14, what: 'NUL around the hit', file: 'a\0needle\0b', pattern: 'needle', decision: 'candidate' },
  {
    row: 15,
    what: 'the begin of a character before the hit',
    file: Buffer.from('xxxx\xe2\x82needle xxxx', 'latin1'),
    pattern: 'needle',
    decision: 'candidate',
  },
  { row: 15, what: 'a Latin-1 letter before the hit', file: Buffer.from('xxxx\xe9needle\xff xxxx', 'latin1'), pattern: 'needle', decision: 'candidate' },
  {
    row: 16,
    what: 'U+FFFD in the pattern, an invalid byte in the file',
    file: Buffer.from('text a\xffb text', 'latin1'),
    pattern: 'a\ufffdb',
    decision: 'candidate',
  },
  { row: 17, what: 'half of a pair in the pattern', file: 'abc\ufffdd', pattern: 'abc\ud800d', decision: 'ILL_FORMED' },
  {
    row: 18,
    what: 'signs of expressions in literal text, present',
    file: String.raw`a \Q.*\E b\ `.trimEnd(),
    pattern: String.raw`\Q.*\E`,
    decision: 'candidate',
  },
  { row: 18, what: 'a backslash at the end of literal text, absent', file: 'abc', pattern: 'abc\\', decision: 'excluded' },
  { row: 19, what: 'two characters that are four units', file: 'x', pattern: '😀😀', decision: 'TOO_SHORT' },
  { row: 20, what: 'a file that is too large', file: 'x'.repeat(1_048_577), pattern: 'needle', decision: 'NOT_TOKENIZED' },
  { row: 20, what: 'a binary file', file: Buffer.alloc(9, 0xff), pattern: 'needle', decision: 'NOT_TOKENIZED' },
  { row: 20, what: 'an unreadable file', file: 'abc', pattern: 'needle', facts: { status: 'UNREADABLE' }, decision: 'NOT_TOKENIZED' },
  { row: 20, what: 'a file whose reading failed', file: 'abc', pattern: 'needle', facts: { status: 'ERROR' }, decision: 'NOT_TOKENIZED' },
  { row: 21, what: 'a line break in the name', file: 'abc', pattern: 'needle', facts: { catalogued: false }, decision: 'NOT_CATALOGUED' },
  { row: 22, what: 'a change whose event is not applied yet', file: 'abc', pattern: 'needle', facts: { fresh: false }, decision: 'STALE' },
  { row: 23, what: 'a further hard link, or a change that gives no event', file: 'abc', pattern: 'needle', facts: { fresh: false }, decision: 'STALE' },
  { row: 24, what: 'a file replaced while it was read', file: 'abc', pattern: 'needle', facts: { fresh: false }, decision: 'STALE' },
  { row: 26, what: 'an expression that is not understood', file: 'abc', pattern: '(?s)nee.le', search: { fixedStrings: false }, decision: 'REGEX' },
  { row: 26, what: 'an expression that matches', file: 'a needle', pattern: 'nee.+le', search: { fixedStrings: false }, decision: 'candidate' },
  { row: 26, what: 'an approximate search', file: 'abc', pattern: 'needle', search: { fuzzy: 1 }, decision: 'FUZZY' },
];

const tokenize = createTokenizer(TOKENIZER_DEFAULTS);

/** Appendix F without the gate: n-grams of both sides after NFC, folded alike. */
function seedExcludes(bytes: Buffer, pattern: string, ignoreCase: boolean): boolean {
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const present = new Set(Array.from(gramTexts(tokenize(bytes).grams), fold));
  return gramsOf(fold(pattern).normalize('NFC'), 3).some((gram) => !present.has(gram));
}

describe('the gate', () => {
  it.each(TRAPS.map((trap) => [trap.row, trap.what, trap] as const))(
    'decides row %d of the traps soundly: %s',
    { tags: ['FR-LSI-CAND-01', 'FR-LSI-CAND-02'] },
    (_row, _what, { file, pattern, search = {}, strategy = 'UNICODE_SIMPLE', facts, decision, lostBySeed }) => {
      const bytes = Buffer.from(file);
      const ignoreCase = search.ignoreCase ?? false;
      expect(decide(bytes, { ...LITERAL, ...search, pattern }, folding(strategy), facts)).toBe(decision);
      if (decision === 'excluded') expect(couldFind(bytes, pattern, ignoreCase, strategy)).toBe(false);
      if (lostBySeed) expect([couldFind(bytes, pattern, ignoreCase, strategy), seedExcludes(bytes, pattern, ignoreCase)]).toEqual([true, true]);
    },
  );

  it('leaves rows without a trap to the n-grams: a file that lacks one is excluded', { tags: ['FR-LSI-CAND-LIT-01.1'] }, () => {
    expect(decide(Buffer.from('haystack'), { ...LITERAL, pattern: 'needle' }, folding('ASCII'))).toBe('excluded');
    expect(decide(Buffer.from('a needle'), { ...LITERAL, pattern: 'needle' }, folding('ASCII'))).toBe('candidate');
  });
});

describe('the side of the file', () => {
  it('lets n-grams decide only of a complete, fresh, catalogued NFC text without a mark', { tags: ['FR-LSI-CAND-LIT-01.2'] }, () => {
    expect(fileVeto(good)).toBeUndefined();
    expect(fileVeto({ ...good, tokenComplete: false })).toBe('INCOMPLETE');
    expect(fileVeto({ ...good, nfcStable: false })).toBe('NOT_NFC');
    expect(fileVeto({ ...good, bom: true })).toBe('BYTE_ORDER_MARK');
    expect(fileVeto({ ...good, fresh: false })).toBe('STALE');
    expect(fileVeto({ ...good, catalogued: false })).toBe('NOT_CATALOGUED');
    expect(fileVeto({ ...good, ownerMayRead: false })).toBe('OWNER_MAY_NOT_READ');
  });

  it.each(['SKIPPED_TOO_LARGE', 'SKIPPED_BINARY', 'UNREADABLE', 'ERROR'] as const)(
    'keeps a file that is %s a candidate of every search',
    { tags: ['FR-LSI-CAND-LIT-02'] },
    (status) => {
      expect(fileVeto({ ...good, status })).toBe('NOT_TOKENIZED');
    },
  );

  it('keeps a file shorter than an n-gram a candidate', { tags: ['FR-LSI-TOK-05.2'] }, () => {
    for (const text of ['', 'a', 'ab']) expect(decide(Buffer.from(text), { ...LITERAL, pattern: 'needle' }, folding('ASCII'))).toBe('INCOMPLETE');
  });
});

describe('the side of the pattern', () => {
  it('passes what is well-formed, NFC, one line and long enough', () => {
    for (const pattern of ['abc', 'caf\u00e9', '😀é\u4e2d', '\u0301xy', ' \t ', '\ufeffab']) expect(patternVeto(pattern, 3)).toBeUndefined();
  });

  it('bypasses for fewer code points than an n-gram has, whatever k is', { tags: ['FR-LSI-CAND-LIT-03.1'] }, () => {
    expect(patternVeto('ab', 3)).toBe('TOO_SHORT');
    expect(patternVeto('😀é', 3)).toBe('TOO_SHORT');
    expect(patternVeto('abc', 4)).toBe('TOO_SHORT');
    expect(patternVeto('abcd', 4)).toBeUndefined();
    expect(patternVeto('', 1)).toBe('TOO_SHORT');
  });

  it('bypasses for a pattern that NFC would change', { tags: ['FR-LSI-BLOOM-Q-01.1'] }, () => {
    for (const pattern of ['cafe\u0301', '\u212aelvin', 'xx\u1100\u1161', '\u0301\u0316x']) expect(patternVeto(pattern, 3)).toBe('NOT_NFC');
  });

  it('bypasses for line breaks, NUL and halves of pairs', () => {
    for (const pattern of ['abc\n', '\nabc', 'a\rbc', 'abc\0']) expect(patternVeto(pattern, 3)).toBe('LINE_BREAK');
    for (const pattern of ['abc\ud83d', '\ude00abc', 'ab\ude00\ud83dc']) expect(patternVeto(pattern, 3)).toBe('ILL_FORMED');
  });
});
