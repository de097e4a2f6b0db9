import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bloomParams, materializeBitset, mayContain } from '../../src/content-search/ngram-index/tokenize/bloom.ts';
import { foldText } from '../../src/content-search/ngram-index/tokenize/casefold.ts';
import { loadHasher } from '../../src/content-search/ngram-index/tokenize/hash.ts';
import { gramsOf } from '../../src/content-search/ngram-index/tokenize/trigrams.ts';
import { couldFind } from '../fixtures/content-index/byte-search.ts';
import { decide, folding } from '../fixtures/content-index/decide.ts';
import { file, patternOf, piece, search } from '../fixtures/content-index/hostile.ts';
import { cases } from '../support/oracle-runs.ts';

describe('an exclusion', () => {
  it('never loses what a plain search of the bytes finds, by either way of folding', { tags: ['FR-LSI-CAND-01'] }, () => {
    const seen = { excluded: 0, candidate: 0 };
    fc.assert(
      fc.property(file, search, (bytes, how) => {
        const pattern = patternOf(bytes, how);
        const decision = decide(bytes, { pattern, fixedStrings: true, ignoreCase: how.ignoreCase, fuzzy: 0 }, folding(how.strategy, how.proven));
        if (decision === 'excluded') expect(couldFind(bytes, pattern, how.ignoreCase, how.strategy)).toBe(false);
        if (decision === 'excluded' || decision === 'candidate') seen[decision] += 1;
      }),
      { numRuns: cases(8000) },
    );
    // Otherwise nothing was shown.
    expect(seen.excluded).toBeGreaterThan(100);
    expect(seen.candidate).toBeGreaterThan(100);
  });

  it('keeps every file that an ASCII-only n-gram cannot tell of, if a backend folds letters that the table does not have', () => {
    // U+0264 and U+A7CB are a pair since Unicode 16: ripgrep 15 knows it, the table does not.
    const newer = { pattern: 'x\u0264xx abc', fixedStrings: true, ignoreCase: true, fuzzy: 0 };
    expect(decide(Buffer.from('x\ua7cbxx abc'), newer, folding('UNICODE_SIMPLE', false))).toBe('candidate');
    expect(decide(Buffer.from('x\ua7cbxx abd'), newer, folding('UNICODE_SIMPLE', false))).toBe('excluded');
  });
});

describe('a Bloom filter', () => {
  it('never denies an n-gram of the text it was made of, folded or not', { tags: ['FR-LSI-BLOOM-Q-02.2'] }, async () => {
    const hasher = await loadHasher();
    const bloom = bloomParams(512);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.constantFrom('ASCII', 'UNICODE_SIMPLE'), (parts, strategy) => {
        const text = parts.join('').normalize('NFC');
        const rules = { ngramK: 3, maxTokenizedBytes: 512, bloom, strategy };
        const sensitive = materializeBitset(Buffer.from(text), 'SENSITIVE', rules, hasher);
        const insensitive = materializeBitset(Buffer.from(text), 'INSENSITIVE', rules, hasher);
        const grams = gramsOf(text.replaceAll('\r\n', '\n'), 3);
        if (sensitive === undefined || insensitive === undefined) return;
        expect(mayContain(sensitive, grams, bloom, hasher)).toBe(true);
        expect(mayContain(insensitive, gramsOf(foldText(text.replaceAll('\r\n', '\n'), strategy), 3), bloom, hasher)).toBe(true);
      }),
      { numRuns: cases(300) },
    );
  });
});
