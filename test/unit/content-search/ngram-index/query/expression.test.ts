import { describe, expect, it } from 'vitest';
import { type Expression, isPlain, readExpression } from '../../../../../src/content-search/ngram-index/query/expression.ts';

const text = (value: string): Expression => ({ kind: 'text', text: value });
const ANY: Expression = { kind: 'any' };
const sequence = (...parts: Expression[]): Expression => ({ kind: 'sequence', parts });
const either = (...parts: Expression[]): Expression => ({ kind: 'either', parts });

describe('an expression', () => {
  it('is read with its texts joined, escapes and all', () => {
    expect(readExpression('foo\\.bar\\(')).toEqual(sequence(text('foo.bar(')));
    expect(readExpression('Ñandú漢')).toEqual(sequence(text('Ñandú漢')));
    expect(readExpression('a.b^c$')).toEqual(sequence(text('a'), ANY, text('b'), ANY, text('c'), ANY));
  });

  it('has groups and alternatives as they stand', () => {
    expect(readExpression('a(?:b|c)d|e')).toEqual(
      either(sequence(text('a'), either(sequence(text('b')), sequence(text('c'))), text('d')), sequence(text('e'))),
    );
    expect(readExpression('(|a)')).toEqual(sequence(either(sequence(), sequence(text('a')))));
  });

  it('has few characters of a class one by one, and many or unknown ones as anything', () => {
    expect(readExpression('[ab-d-]')).toEqual(sequence({ kind: 'one', of: ['a', 'b', 'c', 'd', '-'] }));
    for (const pattern of ['[a-z]', '[^a]', '[\\w.]', '[[:alpha:]_]', '[é]', '[\\w-]']) expect(readExpression(pattern)).toEqual(sequence(ANY));
  });

  it('has repeats as what surely stands there', () => {
    const [a, many] = [text('a'), { kind: 'many', part: text('a') } as const];
    const repeats: Record<string, Expression> = {
      'a?': either(a, text('')),
      'a*': ANY,
      'a+': sequence(many),
      'a{2}': sequence(a, a),
      'a{2,}': sequence(a, many),
      'a{0,3}': ANY,
      'a{9}': sequence(a, a, a, many),
    };
    for (const [pattern, expected] of Object.entries(repeats)) {
      expect(readExpression(pattern)).toEqual(sequence(expected));
      expect(readExpression(`${pattern}?`)).toEqual(sequence(expected));
    }
  });

  it.each([
    ['look-around and flags', ['(?=abc)abc', '(?i)abc', '(?<!a)bcd', '(?P<n>abc)', '(?i:abc)', '(?#c)abc']],
    ['references and unknown escapes', ['(a)bc\\1', '\\p{L}abc', '\\x41bc', '\\Qabc\\E', '\\nabc', 'abc\\', '\\Kabc', '\\zabc', '\\u0041']],
    ['what only one dialect knows', ['a**', 'a++', 'a{2}{3}', 'a{,3}', 'a{3,2}', 'x{99999}', '*abc', '+abc', '?abc', '{2}abc', 'a{b}', '\\b{start}abc']],
    [
      'brackets that are read in two ways',
      ['[]abc]', '[^]abc]', '[[:word:]]', '[a&&b]', '[a--b]', '[a~b]', '[[a]b]', '[:alpha:]', '[a\\]b]', '[z-a]', '[+-.]', '[a'],
    ],
    ['what does not end', ['(abc', 'abc)', '[abc', 'a]b', 'a}b', '(?:abc']],
    ['signs that somebody may give a meaning', ['#abc', 'abc`', '€uro', 'a\tb', 'e\u0301x', '😀😀😀']],
  ])('is none with %s', { tags: ['FR-LSI-CAND-RE-02'] }, (_, patterns) => {
    for (const pattern of patterns) expect({ pattern, read: readExpression(pattern) }).toEqual({ pattern, read: undefined });
  });

  it('is none that nests deeper than anybody writes, however long it is', () => {
    expect(readExpression(`${'('.repeat(20)}abc${')'.repeat(20)}`)).toBeDefined();
    expect(readExpression(`${'('.repeat(2000)}abc${')'.repeat(2000)}`)).toBeUndefined();
    expect(readExpression('abc'.repeat(1300))).toEqual(sequence(text('abc'.repeat(1300))));
  });
});

describe('a plain text', () => {
  it('has only characters that stand for themselves', () => {
    expect(isPlain('static inline int')).toBe(true);
    for (const sign of '\\.*+?()[]{}|^$#`') expect(isPlain(`a${sign}b`)).toBe(false);
    expect(isPlain('')).toBe(false);
  });
});
