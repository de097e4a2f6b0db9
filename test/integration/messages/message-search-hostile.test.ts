import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SearchResponse } from '../../../src/contracts/index.ts';
import { type SmallSearch, searchInSmallMailbox } from '../../support/small-search.ts';

let search: SmallSearch;
beforeAll(() => {
  search = searchInSmallMailbox();
});
afterAll(() => search.remove());

const HOSTILE = [
  'foo"',
  '"',
  '""',
  '"""',
  '"a" "',
  "'",
  "''",
  "it's",
  "'; DROP TABLE messages; --",
  '" OR 1=1 --',
  'a AND',
  'AND a',
  'a OR',
  'NOT a',
  'a NOT',
  'x AND NOT y',
  'a NEAR b',
  'NEAR(a b)',
  'NEAR(a b, 99999999999)',
  'plan NEAR/3 x',
  '(x',
  'x)',
  '(((((x',
  ')(',
  '()',
  '((()))',
  'col:x',
  'subject:plan',
  'message_id:1',
  'fts_messages:x',
  ':x',
  'x:',
  '{subject body}:plan',
  '-subject:plan',
  '- subject : plan',
  'x^',
  '^x',
  '^ plan',
  'x*',
  '*x',
  '**',
  'x* *',
  'plan-x',
  '-x',
  '--x',
  'foo--bar',
  'a,b',
  'a;b',
  'foo.bar',
  '@x',
  'C++',
  'a+b',
  'a + b',
  '#1',
  '$x',
  '%',
  '%%',
  '_',
  '\\',
  '\\"',
  'a\\',
  '?',
  '?1',
  '/* x */',
  '-- x',
  '\0',
  'a\0b',
  '\u0001',
  '\ufeff',
  '\ud800',
  'a\udfff',
  '🙂',
  '🙂 plan',
  '計画',
  'ﷺ',
  'e\u0301'.repeat(50),
  'x'.repeat(16_384),
  '_'.repeat(16_384),
  'a '.repeat(8000),
  '('.repeat(3000),
  '"'.repeat(3001),
  'a OR '.repeat(500),
  'plan AND '.repeat(300),
  'NOT '.repeat(100),
  'a* '.repeat(200),
  `${'(a OR '.repeat(200)}b${')'.repeat(200)}`,
];

describe('hostile texts', () => {
  it.each(HOSTILE)('are answered: %j', { tags: ['MS-025', 'MS-050', 'MS-157'] }, async (text) => {
    const answer = await search.search({ text, explain: true, thread_id: text.slice(0, 1024), sender_name: text.slice(0, 1024) }, null);
    expect(SearchResponse.parse(answer)).toEqual(answer);
    expect(answer.explain?.sql).not.toContain('messages; --');
    const alone = await search.search({ text }, null);
    expect(SearchResponse.parse(alone)).toEqual(alone);
  });
});
