import { describe, expect, it } from 'vitest';
import { exactExpression } from '../../../../src/messages/search/exact-expression.ts';

describe('what must stand in a row as it was typed', () => {
  it.each([
    ['"two words"', undefined, '"two words"'],
    ['"src/a/b.ts" deploy', undefined, '"src/a/b.ts" deploy'],
    ['createMessageSearch', undefined, 'createMessageSearch'],
    ['max_retries AND fails', undefined, 'max_retries AND fails'],
    ['sha256', undefined, 'sha256'],
    ['create message search', 'createmessagesearch', 'createmessagesearch'],
    ['Deploy plans', undefined, undefined],
    ['"two words" OR plan', undefined, undefined],
    ['plan NOT "two words"', undefined, undefined],
    ['"no syntax', undefined, undefined],
  ])('of %s (as one name: %s): %s', (expression, also, exact) => {
    expect(exactExpression({ by: 'words', expression, text: '', ...(also !== undefined && { also }) })).toBe(exact);
  });
});
