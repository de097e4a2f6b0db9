import { describe, expect, it } from 'vitest';
import { joinedName, namesAsPhrases } from '../../../../src/messages/search/names.ts';

describe('names in a text', () => {
  it.each([
    ['src/auth/**', '"src/auth"'],
    ['fix src/a/b.ts, please', 'fix "src/a/b.ts" please'],
    ['https://a.b/c?d=e', '"https://a.b/c?d=e"'],
    ['std::vector v1.2.3 user@host.org', '"std::vector" "v1.2.3" "user@host.org"'],
    ['(a.b OR c.d) AND e', '("a.b" OR "c.d") AND e'],
    ['plan.*', 'plan.*'],
    ['部署', '"部署"'],
    ['部署完', '"部署 署完"'],
    ['部', '"部"*'],
    ['"部署完"', '"部署 署完"'],
    ['subject:部署', 'subject:"部署"'],
    ['PDF部署', '"PDF 部署"'],
  ])('%s are asked for as %s', (text, expression) => {
    expect(namesAsPhrases(text)).toBe(expression);
  });

  it.each([
    'plan',
    'POL-358 x',
    '"POL-358"',
    "it's",
    '429?',
    'build, an',
    '@pla an',
    '(pla an',
    'pla an AND',
    'subject:plan',
    '(body:plan AND x) NOT y',
    'from:ada',
    'a"b.c',
  ])('there are none in %s, which stays as it is', (text) => {
    expect(namesAsPhrases(text)).toBe(text);
  });

  it('may be written as a list of words', () => {
    expect(joinedName('create message Search')).toBe('createmessagesearch');
    expect(joinedName('sha 256')).toBe('sha256');
    for (const text of ['plan', 'plan AND build', '"plan" build', 'plan* build', 'pla-n x', '部 署', 'a b c d e f g', `${'x'.repeat(40)} ${'y'.repeat(40)}`]) {
      expect(joinedName(text)).toBeUndefined();
    }
  });
});
