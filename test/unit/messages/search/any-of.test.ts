import { describe, expect, it } from 'vitest';
import { anyOf } from '../../../../src/messages/search/any-of.ts';

describe('any of the words of an expression', () => {
  it.each([
    ['plan build', 'plan OR build'],
    ['plan AND (build OR "two words")', 'plan OR build OR "two words"'],
    ['pla* AND subject:build', 'pla* OR build'],
    ['(plan AND build) NOT test', 'plan OR build'],
    ['plan NOT (test OR ship) AND mail', 'plan OR mail'],
    ['plan NOT body:test', 'plan'],
    ['no "syntax', undefined],
    ['', undefined],
  ])('of %s: %s', (expression, any) => {
    expect(anyOf(expression)).toBe(any);
  });
});
