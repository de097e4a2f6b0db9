import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bareTerms, likeTerms, singleLetters } from '../../../../src/messages/search/like-terms.ts';
import { joinedAsPhrases, normalText, sanitizeFtsQuery } from '../../../../src/messages/search/sanitize.ts';

const UNCHANGED = [
  'hello',
  'hello world',
  'migrat*',
  'plan AND users',
  '"build plan"',
  '"hello world"',
  'FTS5 OR sqlite',
  '((( ab )))',
  'foo--bar',
  '-b',
  'é-x',
  "it's",
  'subject:x',
];
const NOTHING = [
  '',
  '   ',
  '*',
  '**',
  '***',
  '.',
  '..',
  '...',
  '?',
  '??',
  '???',
  'AND',
  'or',
  'NOT',
  'AND OR NOT',
  '(AND) OR',
  'NEAR AND',
  ' (AND) OR NOT NEAR ',
  '!!!',
  '((()))',
  ' *',
  '* * *',
  '🙂',
];
const VECTORS: readonly (readonly [string, string])[] = [
  ['*foo', 'foo'],
  ['**foo', 'foo'],
  ['* bar', 'bar'],
  ['foo *', 'foo'],
  ['foo  bar   baz', 'foo bar baz'],
  ['a   b   c', 'a b c'],
  ['POL-358', '"POL-358"'],
  ['POL-358-', '"POL-358"-'],
  ['foo-bar-baz', '"foo-bar-baz"'],
  ['search for FEAT-123 and bd-42', 'search for "FEAT-123" and "bd-42"'],
  ['a-b*', '"a-b"*'],
  ['"a-b" c-d', '"a-b" "c-d"'],
  ['"a-b c-d', '"a-b c-d'],
];

describe('sanitizeFtsQuery', () => {
  it.each(UNCHANGED)('keeps %j', { tags: ['MS-025'] }, (text) => {
    expect(sanitizeFtsQuery(text)).toBe(text);
  });

  it.each(NOTHING)('finds no word in %j', (text) => {
    expect(sanitizeFtsQuery(text)).toBeUndefined();
  });

  it.each(VECTORS)('makes of %j %j', { tags: ['MS-050'] }, (text, expected) => {
    expect(sanitizeFtsQuery(text)).toBe(expected);
  });

  it('gives what has a letter or digit whenever it gives anything, for every text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => /[\p{L}\p{N}]|^$/u.test(sanitizeFtsQuery(text) ?? '')));
  });
});

describe('normalText', () => {
  it('leaves out blanks at the ends and makes one of several', { tags: ['MS-048'] }, () => {
    expect(normalText('  a \t b\u00a0\n\u2003c\0d ')).toBe('a b c d');
    expect(normalText('\ta\tb\nc\u00a0d  e\n')).toBe('a b c d e');
  });
});

describe('likeTerms', () => {
  it.each([
    ['hello hello hello', ['hello']],
    ['a b cc dd', ['cc', 'dd']],
    ['POL-358 migration', ['POL-358', 'migration']],
    ['foo AND bar OR baz', ['foo', 'bar', 'baz']],
    ['AND OR NOT near', []],
    ['one two three four five six', ['one', 'two', 'three', 'four', 'five']],
    ["it's src/a_b.ts (x) 100%", ['it', 'src/a_b.ts', '100']],
    ['計画 é', ['計画', 'é']],
    ['one. two... a/b! -rf src/ .env --x', ['one', 'two', 'a/b', '-rf', 'src/']],
    ['wait -- what ... now', ['wait', 'what', 'now']],
    ['../..', ['../..']],
    ['(C++), C# with "F#".', ['C++', 'C#', 'with', 'F#']],
    ['f(x); #1 i++ R&D', ['f(x)', '#1', 'i++', 'R&D']],
    ['a && b', ['a && b']],
    ["I'm here!", ['here']],
    ['c', []],
    ['c? (d) "e".', []],
    ['a AND -', []],
    [`+${'a+'.repeat(60)}`, []],
  ] as const)('reads %j as %j', { tags: ['MS-050'] }, (text, terms) => {
    expect(likeTerms(text)).toEqual(terms);
  });

  it('have no signs at their edges where these say nothing, and names of signs keep them', () => {
    expect(bareTerms('-stryker queue/ ./src/a.b/ C++ foo')).toEqual(['stryker', 'queue', 'src/a.b', 'C++', 'foo']);
    expect(bareTerms('-b ../..')).toEqual([]);
  });

  it('leave letters that stand alone to an engine of words', () => {
    expect(singleLetters('(a, b? AND a) c d e f')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(singleLetters('AND - ?')).toEqual([]);
  });
});

describe('words joined by +', () => {
  it.each([
    ['read + write', '"read write"'],
    ['"a ""b" +c+ d*', '"a ""b c d"*'],
    ['subject:a + b OR "x + y"', 'subject:"a b" OR "x + y"'],
    ['C++ a ++ b', 'C++ a ++ b'],
    ['a + AND b', 'a + AND b'],
    ['a* + b', 'a* + b'],
  ])('%s is the phrase %s', (expression, phrase) => {
    expect(joinedAsPhrases(expression)).toBe(phrase);
  });
});
