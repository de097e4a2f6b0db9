import { describe, expect, it } from 'vitest';
import { readExpression } from '../../../../../src/content-search/ngram-index/query/expression.ts';
import { type GramGroups, requiredGrams } from '../../../../../src/content-search/ngram-index/query/required-grams.ts';
import { gramsOf } from '../../../../../src/content-search/ngram-index/tokenize/trigrams.ts';
import { hasTerms } from '../../../../fixtures/content-index/decide.ts';
import { randomExpression } from '../../../../support/content/random-expression.ts';
import { createRandom } from '../../../../support/random.ts';

function groupsOf(pattern: string, k = 3): GramGroups {
  const expression = readExpression(pattern);
  if (expression === undefined) throw new Error(`not understood: ${pattern}`);
  return requiredGrams(expression, k);
}

/** As a formula: `abc bcd` both, `(abc | bcd)` one of them. */
function formula(groups: GramGroups): string {
  return groups
    .map((group) =>
      group.length === 1 && typeof group[0] === 'string' ? group[0] : `(${group.map((term) => (typeof term === 'string' ? term : formula(term))).join(' | ')})`,
    )
    .join(' ');
}

/** The expression of JavaScript; undefined where that has no such one, or another. */
function inScript(pattern: string): RegExp | undefined {
  if (pattern.includes('[[:')) return undefined;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}

describe('the n-grams that every match has', () => {
  it.each([
    ['abcd', 'abc bcd'],
    ['abc.def', 'abc def'],
    ['abc.*def', 'abc def'],
    ['(abc|abd)', '(abc | abd)'],
    ['x(abc|def)y', '(xab abc bcy | xde def efy)'],
    ['foo(bar|baz)', 'foo oob oba (bar | baz)'],
    ['ab[cd]e', '(abc bce | abd bde)'],
    ['abc?d', '(abc bcd | abd)'],
    ['ab+c', ''],
    ['xab+cy', 'xab bcy'],
    ['(abc)+', 'abc'],
    ['(ab){2}', 'aba bab'],
    ['(abc|.)', ''],
    ['abc|', ''],
    ['\\w+_probe\\(', '_pr pro rob obe be('],
    ['^static.*\\bint$', 'sta tat ati tic int'],
    ['(foo.*bar|baz)qux', '(foo bar | baz) qux (arq rqu | azq zqu)'],
  ])('of %s are %s', (pattern, expected) => {
    expect(formula(groupsOf(pattern))).toBe(expected);
  });

  it('are of the size that the index has', () => {
    expect(formula(groupsOf('abc.e', 1))).toBe('a b c e');
    expect(formula(groupsOf('abcd.e', 4))).toBe('abcd');
  });

  it('are few, however many texts an expression has', () => {
    const many = groupsOf('[abcdefghij]'.repeat(12));
    expect(formula(many).length).toBeLessThan(20_000);
    const terms = (groups: GramGroups): number => groups.flat().reduce((sum: number, term) => sum + (typeof term === 'string' ? 1 : terms(term)), 0);
    expect(terms(groupsOf('(abc|def|ghi|jkl)[xyz]?'.repeat(150)))).toBeLessThanOrEqual(600);
    expect(terms(groupsOf(Array.from({ length: 700 }, (_, at) => `w${at}x${at}`).join('.')))).toBeLessThanOrEqual(600);
  });

  it('are in every text that JavaScript matches with the same expression, which reads this subset as the backends do', () => {
    let [matched, lacking] = [0, 0];
    for (let seed = 1; seed <= 400; seed += 1) {
      const random = createRandom(seed);
      const letters = () => Array.from({ length: 3 + random.integer(8) }, () => random.pick(['a', 'b', 'c', ' ', '.', '_'])).join('');
      const pattern = randomExpression(random, letters());
      const expression = readExpression(pattern);
      const script = inScript(pattern);
      if (expression === undefined || script === undefined) continue;
      const groups = requiredGrams(expression, 3);
      for (let turn = 0; turn < 40; turn += 1) {
        const text = letters() + letters();
        const has = hasTerms(new Set(gramsOf(text, 3)), groups);
        if (!has) lacking += 1;
        if (!script.test(text)) continue;
        matched += 1;
        expect({ pattern, text, has }).toEqual({ pattern, text, has: true });
      }
    }
    expect(matched).toBeGreaterThan(300);
    expect(lacking).toBeGreaterThan(3_000);
  });
});
