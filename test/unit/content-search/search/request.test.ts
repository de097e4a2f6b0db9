import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeRequest, type SearchQuery } from '../../../../src/content-search/search/request.ts';
import { ADVERTISED_NAMES, toolNamed } from '../../../../src/content-search/search/tool.ts';
import { ContentSearchRequest } from '../../../../src/contracts/index.ts';
import { readsInProportion } from '../../../support/growth.ts';

const DEFAULTS = { timeoutMs: 20_000, maxResults: 200 };

function query(request: unknown): SearchQuery {
  const judged = judgeRequest(request, DEFAULTS);
  if (!judged.ok) throw new Error(`${judged.error.field}: ${judged.error.message}`);
  return judged.value;
}

function fieldAtFault(request: unknown): string | undefined {
  const judged = judgeRequest(request, DEFAULTS);
  if (judged.ok) throw new Error('is accepted');
  expect(judged.error.code).toBe('BadArgs');
  return judged.error.field;
}

describe('the request of the Search tool', () => {
  it('has the 13 fields of the baseline and no other', { tags: ['FR-LSI-SCHEMA-REQ-01', 'LSI-GEN-01'] }, () => {
    expect(Object.keys(ContentSearchRequest.shape)).toEqual([
      ...['pattern', 'path', 'case', 'fixed_strings', 'word_regexp', 'hidden', 'follow', 'no_ignore', 'glob'],
      ...['context', 'max_results', 'timeout_ms', 'fuzzy'],
    ]);
    expect(fieldAtFault({ pattern: 'a', include_glob: [] })).toBe('include_glob');
    expect(fieldAtFault({ pattern: 'a', __proto__: null, constructor: 1 })).toBe('constructor');
  });

  it('means what the baseline says when nothing is said', () => {
    expect(query({ pattern: 'a' })).toEqual({
      ...{ pattern: 'a', path: '.', ignoreCase: true, fixedStrings: false, wordRegexp: false, hidden: false, follow: false, noIgnore: false },
      ...{ globs: [], context: 0, maxResults: 200, timeoutMs: 20_000, fuzzy: 0 },
    });
  });

  it.each([
    ['pattern', {}],
    ['pattern', { pattern: 7 }],
    ['pattern', { pattern: '' }],
    ['pattern', { pattern: 'a\nb' }],
    ['pattern', { pattern: 'a\0b' }],
    ['pattern', { pattern: 'a\ud800' }],
    ['pattern', { pattern: 'x'.repeat(65_537) }],
    ['pattern', { pattern: 'é'.repeat(32_769) }],
    ['pattern', { pattern: 'x'.repeat(1024 * 1024) }],
    ['path', { pattern: 'a', path: '' }],
    ['path', { pattern: 'a', path: 'a\0' }],
    ['path', { pattern: 'a', path: '\udfff' }],
    ['case', { pattern: 'a', case: 'upper' }],
    ['glob.1', { pattern: 'a', glob: ['*', '!'] }],
    ['glob.0', { pattern: 'a', glob: ['a\nb'] }],
    ['glob.0', { pattern: 'a', glob: ['\ud800'] }],
    ['glob.2', { pattern: 'a', glob: ['a', 'b', 3] }],
    ['glob', { pattern: 'a', glob: '*' }],
    ['context', { pattern: 'a', context: -1 }],
    ['context', { pattern: 'a', context: 1.5 }],
    ['max_results', { pattern: 'a', max_results: 0 }],
    ['timeout_ms', { pattern: 'a', timeout_ms: 0 }],
    ['timeout_ms', { pattern: 'a', timeout_ms: null }],
    ['hidden', { pattern: 'a', hidden: 1 }],
  ])('names the field %s when it is to blame: %j', (field, request) => {
    expect(fieldAtFault(request)).toBe(field);
  });

  it('takes fuzzy levels 1 to 4 and no others', { tags: ['FR-LSI-FUZ-TH-01'] }, () => {
    expect([1, 2, 3, 4].map((fuzzy) => query({ pattern: 'a', fuzzy }).fuzzy)).toEqual([1, 2, 3, 4]);
    for (const fuzzy of [0, 5, -1, 1.5, '1']) expect(fieldAtFault({ pattern: 'a', fuzzy })).toBe('fuzzy');
  });

  it.each([null, undefined, 7, 'pattern', [], [{ pattern: 'a' }]])('is an object, and not %j', (request) => {
    expect(fieldAtFault(request)).toBeUndefined();
  });

  it('takes a pattern of 65,536 bytes, and searches for it as it was sent, blanks included', () => {
    expect(query({ pattern: 'é'.repeat(32_768) }).pattern).toHaveLength(32_768);
    for (const pattern of ['  a ', ' ', '\t', ' \t\u00a0']) expect(query({ pattern }).pattern).toBe(pattern);
  });

  it('judges anything at all without a crash', () => {
    fc.assert(fc.property(fc.anything(), (request) => typeof judgeRequest(request, DEFAULTS).ok === 'boolean'));
  });
});

describe('smart case', () => {
  const ignores = (pattern: string, fixed_strings = false): boolean => query({ pattern, fixed_strings }).ignoreCase;

  it.each(['foo', 'é', 'ß', 'ſ', 'ǆ', '123', '中'])('does not regard case for %s, which has no upper-case letter', (pattern) => {
    expect(ignores(pattern)).toBe(true);
    expect(ignores(pattern, true)).toBe(true);
  });

  it.each(['Foo', 'É', 'Ñandu', 'Σ', '𐐀'])('regards case for %s, which has one', { tags: ['T-LSI-DET-04'] }, (pattern) => {
    expect(ignores(pattern)).toBe(false);
    expect(ignores(pattern, true)).toBe(false);
  });

  it.each(['\\S+a', '\\Wa', '\\p{Lu}a', '\\pLa', '\\P{Greek}a', '\\x{6A}\\W', '\\x6A\\W', '\\u00E9\\W', '\\U0001F600', '(?P<Name>a)', '(?<Name>a)', '(?U)a'])(
    'takes the letters of the syntax in %s for syntax',
    (pattern) => {
      expect(ignores(pattern)).toBe(true);
      expect(ignores(pattern, true)).toBe(false);
    },
  );

  it.each(['\\S+', '\\p{Lu}', '[[:upper:]]', '[[:^lower:]]', '.', '^$', '\\w{2}', '[\\d]', '[[:upper:][:digit:]]'])(
    'regards case for %s, in which no character stands for itself',
    (pattern) => {
      expect(ignores(pattern)).toBe(false);
    },
  );

  it.each(['\\x{4A}', '\\x4A', '\\u00C9', '\\u{C9}', '\\U0000004A', '[\\x41-\\x5A]', '[^A]', '[[:upper:]A]', '[]A]', '[a&&[^B]]', 'Ⅷ', 'Ⓐ'])(
    'regards case for %s, which names an upper-case character',
    (pattern) => {
      expect(ignores(pattern)).toBe(false);
    },
  );

  it.each(['\\SA', '\\\\A', '\\p{L}A', '(?:A)', '[A-Z]', '(?<n>A)', '\\x41B', 'a(?=B)', '(?<=A)b', '(?i:A)'])(
    'sees the letters beside the syntax in %s',
    (pattern) => {
      expect(ignores(pattern)).toBe(false);
    },
  );

  it('costs no more than the pattern is long', () => {
    for (const part of ['(?', '\\p{', '\\x{', '\\', '(?<']) {
      expect([part, readsInProportion((pattern) => void query({ pattern }), part, 65_536)]).toEqual([part, true]);
    }
  });

  it('is decided by `case` alone when that is not smart', () => {
    expect(query({ pattern: 'Foo', case: 'insensitive' }).ignoreCase).toBe(true);
    expect(query({ pattern: 'foo', case: 'sensitive' }).ignoreCase).toBe(false);
  });
});

describe('the names of the tool', () => {
  it('is called Search', { tags: ['FR-LSI-BASE-01'] }, () => expect(toolNamed('Search')).toBe('Search'));

  it.each(['search', 'rg', 'ripgrep', 'ugrep', 'ug'])('answers to its alias %s', { tags: ['FR-LSI-BASE-02'] }, (name) => {
    expect(toolNamed(name)).toBe('Search');
    expect(ADVERTISED_NAMES).toContain(name);
  });

  it('answers to search_files too, and does not advertise it', { tags: ['FR-LSI-BASE-03'] }, () => {
    expect(toolNamed('search_files')).toBe('Search');
    expect(ADVERTISED_NAMES).not.toContain('search_files');
  });

  it.each(['', 'SEARCH', 'grep', 'Search ', 'constructor'])('is not called %j', (name) => expect(toolNamed(name)).toBeUndefined());
});
