import { describe, expect, it } from 'vitest';
import { isLiteral, type KnownFolding, type PlannedSearch, queryPlan, rarestGroups } from '../../../../../src/content-search/ngram-index/query/query-plan.ts';
import type { GramTerm } from '../../../../../src/content-search/ngram-index/query/required-grams.ts';
import { judgeRequest, type SearchQuery } from '../../../../../src/content-search/search/request.ts';
import { decide, folding, LITERAL } from '../../../../fixtures/content-index/decide.ts';

const RG = folding('UNICODE_SIMPLE');
const plan = (pattern: string, search: Partial<PlannedSearch> = {}, known: KnownFolding = RG, k = 3): ReturnType<typeof queryPlan> =>
  queryPlan({ ...LITERAL, pattern, ...search }, known, k);
const groupsOf = (found: ReturnType<typeof queryPlan>): GramTerm[][] => ('groups' in found ? found.groups.map((group) => [...group].sort()) : []);

function asked(request: Record<string, unknown>): SearchQuery {
  const judged = judgeRequest(request, { timeoutMs: 1000, maxResults: 10 });
  if (!judged.ok) throw new Error(judged.error.message);
  return judged.value;
}

describe('the plan of a query', () => {
  it('asks for every n-gram of a pattern when case counts', () => {
    expect(plan('needle')).toEqual({ variant: 'SENSITIVE', groups: [['nee'], ['eed'], ['edl'], ['dle']], most: Number.POSITIVE_INFINITY });
    expect(groupsOf(plan('aaaaaa'))).toEqual([['aaa']]);
    expect(groupsOf(plan('ab😀c', {}, RG, 4))).toEqual([['ab😀c']]);
  });

  it('bypasses below the size of an n-gram, and asks for exactly one at that size', { tags: ['FR-LSI-CAND-LIT-03.1', 'FR-LSI-CAND-LIT-03.2'] }, () => {
    expect(plan('ab')).toEqual({ bypass: 'TOO_SHORT' });
    expect(groupsOf(plan('abc'))).toEqual([['abc']]);
  });

  it('asks for the variants of each n-gram when case does not count, at most the six rarest', { tags: ['FR-LSI-BLOOM-Q-01.2'] }, () => {
    const found = plan('ABC', { ignoreCase: true });
    expect(found).toMatchObject({ variant: 'INSENSITIVE', most: 6 });
    expect(groupsOf(found)).toEqual([['ABC', 'ABc', 'AbC', 'Abc', 'aBC', 'aBc', 'abC', 'abc']]);
    expect(groupsOf(plan('abc', { ignoreCase: true }))).toEqual(groupsOf(found));
  });

  it.each([
    ['sensitive', 'abc', 'SENSITIVE'],
    ['sensitive', 'ABC', 'SENSITIVE'],
    ['insensitive', 'ABC', 'INSENSITIVE'],
    ['smart', 'abc', 'INSENSITIVE'],
    ['smart', 'aBc', 'SENSITIVE'],
    ['smart', 'ñandu', 'INSENSITIVE'],
    ['smart', 'Ñandu', 'SENSITIVE'],
  ])('takes the variant of case=%s for %s: %s', { tags: ['FR-LSI-CAND-LIT-05.1', 'FR-LSI-CAND-LIT-05.2', 'T-LSI-DET-04'] }, (mode, pattern, variant) => {
    expect(queryPlan(asked({ pattern, case: mode }), RG, 3)).toMatchObject({ variant });
  });

  it('takes what is literal in both dialects for a literal whatever fixed_strings says', () => {
    expect(plan('zap_page_range_single', { fixedStrings: false })).toEqual(plan('zap_page_range_single'));
  });

  it.each(['(?=abc)abc', '(a)bc\\1', 'abc\\', '#abc', '(?i)abc', '[[a]bc]d', '\\p{L}abc', 'a**bcd'])(
    'bypasses for an expression that is not understood in full, whatever could be gained from it: %s',
    { tags: ['FR-LSI-CAND-RE-01', 'FR-LSI-CAND-RE-02', 'FR-LSI-SAFE-02.3'] },
    (pattern) => {
      expect(plan(pattern, { fixedStrings: false })).toEqual({ bypass: 'REGEX' });
    },
  );

  it.each(['a.c', 'ab|abcd', '(ab.c|d)', 'abc?', 'abc*d', 'a{2}', '[a]b.c', '\\w+', 'a|.*'])(
    'bypasses for an expression of which some match may have no n-gram: %s',
    { tags: ['FR-LSI-CAND-RE-01', 'FR-LSI-CAND-RE-02', 'FR-LSI-SAFE-02.3'] },
    (pattern) => {
      expect(plan(pattern, { fixedStrings: false })).toEqual({ bypass: 'NO_USABLE_NGRAM' });
    },
  );

  it('asks for the n-grams that every match of an expression has', { tags: ['FR-LSI-CAND-RE-01'] }, () => {
    const regex = { fixedStrings: false };
    expect(plan('abc.*def', regex)).toEqual({ variant: 'SENSITIVE', groups: [['abc'], ['def']], most: Number.POSITIVE_INFINITY });
    expect(plan('abc|def.*ghi', regex)).toMatchObject({ groups: [['abc', [['def'], ['ghi']]]] });
    expect(plan('^abc$', regex)).toMatchObject({ groups: [['abc']] });
  });

  it('asks for every n-gram of an expression in all of its variants where case does not count, or not for the group', () => {
    const insensitive = { fixedStrings: false, ignoreCase: true };
    expect(plan('a12|c34.*d56', insensitive)).toEqual({
      variant: 'INSENSITIVE',
      groups: [
        [
          'a12',
          'A12',
          [
            ['c34', 'C34'],
            ['d56', 'D56'],
          ],
        ],
      ],
      most: 6,
    });
    expect(plan('θθθ|abc', insensitive)).toEqual({ bypass: 'NO_USABLE_NGRAM' });
    expect(plan('(θθθ|abc).*d12', insensitive)).toMatchObject({ groups: [['d12', 'D12']] });
  });

  it('takes of letters beyond ASCII what the backend said of them, and nothing of others', { tags: ['FR-LSI-TOK-04.2'] }, () => {
    const asked = { ...folding('UNICODE_SIMPLE', false), asked: new Map([['\u0264', ['\u0264', '\ua7cb']]]) };
    expect(groupsOf(plan('1\u02642', { ignoreCase: true }, asked))).toEqual([['1\u02642', '1\ua7cb2']]);
    expect(plan('1é2', { ignoreCase: true }, asked)).toEqual({ bypass: 'NO_USABLE_NGRAM' });
    expect(groupsOf(plan('1k\u0264', { ignoreCase: true }, asked))[0]).toHaveLength(6);
  });

  it.each(['\u212aelvin', '\u212aelvin.*zero', '(abc|\u2126hm)s'])(
    'bypasses for %j, which NFC would change, literal or not',
    { tags: ['FR-LSI-BLOOM-Q-01.1'] },
    (pattern) => {
      for (const fixedStrings of [true, false]) expect(plan(pattern, { fixedStrings })).toEqual({ bypass: 'NOT_NFC' });
    },
  );

  it('bypasses for an approximate search, literal or not', { tags: ['FR-LSI-CAND-FZ-01', 'FR-LSI-SAFE-02.3'] }, () => {
    for (const fuzzy of [1, 2, 3, 4]) expect(plan('needle', { fuzzy })).toEqual({ bypass: 'FUZZY' });
  });

  it('bypasses for a backend whose folding is not known, in every mode', { tags: ['FR-LSI-TOK-04.3', 'FR-LSI-SAFE-02.3'] }, () => {
    const unknown = { strategy: 'UNKNOWN', provenBeyondAscii: false } as const;
    for (const mode of ['sensitive', 'insensitive', 'smart'])
      expect(queryPlan(asked({ pattern: 'Needle', case: mode }), unknown, 3)).toEqual({ bypass: 'FOLDING_UNKNOWN' });
  });

  it('asks for nothing beyond ASCII unless the folding was proven there: other n-grams still help', { tags: ['FR-LSI-TOK-04.2'] }, () => {
    const unproven = folding('UNICODE_SIMPLE', false);
    expect(groupsOf(plan('abcéx', { ignoreCase: true }, unproven))).toEqual(groupsOf(plan('abc', { ignoreCase: true })));
    expect(plan('éàü', { ignoreCase: true }, unproven)).toEqual({ bypass: 'NO_USABLE_NGRAM' });
    expect(groupsOf(plan('éàü', { ignoreCase: true }))).toHaveLength(1);
    expect(groupsOf(plan('éàü', {}, unproven))).toEqual([['éàü']]);
  });

  it('has the Kelvin sign and the long s in every group with k and s, proven or not', () => {
    for (const known of [folding('ASCII', false), folding('ASCII'), folding('UNICODE_SIMPLE', false), RG]) {
      expect(groupsOf(plan('k12', { ignoreCase: true }, known))).toEqual([['K12', 'k12', '\u212a12']]);
      expect(groupsOf(plan('12S', { ignoreCase: true }, known))).toEqual([['12S', '12s', '12\u017f']]);
    }
  });

  it('leaves out an n-gram with more than 27 variants, which only adds candidates', () => {
    expect(groupsOf(plan('ksk', { ignoreCase: true }))[0]).toHaveLength(27);
    expect(groupsOf(plan('θθ1x', { ignoreCase: true })).map((group) => group.length)).toEqual([16, 8]);
    expect(groupsOf(plan('θθθ1x', { ignoreCase: true })).map((group) => group.length)).toEqual([16, 8]);
    expect(plan('θθθ', { ignoreCase: true })).toEqual({ bypass: 'NO_USABLE_NGRAM' });
  });

  it('regards nothing else of the request: hidden files, globs and links stay with the tool (row 25 of the traps)', () => {
    const plain = asked({ pattern: 'needle', fixed_strings: true });
    const filtered = asked({
      pattern: 'needle',
      fixed_strings: true,
      hidden: true,
      glob: ['!*.c'],
      no_ignore: true,
      follow: true,
      word_regexp: true,
      path: 'x',
    });
    expect(queryPlan(filtered, RG, 3)).toEqual(queryPlan(plain, RG, 3));
  });

  it('leaves a file out when a group has no n-gram in it, and only then', { tags: ['FR-LSI-BLOOM-Q-02.1', 'FR-LSI-BLOOM-Q-02.2'] }, () => {
    const search = { ...LITERAL, pattern: 'Straße', ignoreCase: true };
    expect(decide(Buffer.from('die STRAẞE dort'), search, RG)).toBe('candidate');
    expect(decide(Buffer.from('die STRASSE dort'), search, RG)).toBe('excluded');
    expect(decide(Buffer.from('die STRAẞE dort'), search, folding('ASCII'))).toBe('excluded');
    expect(decide(Buffer.from('die STRAßE dort'), search, folding('ASCII'))).toBe('candidate');
  });
});

describe('the rarest groups', () => {
  const counts = new Map(Object.entries({ abc: 5, ABC: 1, bcd: 2, cde: 9, def: 0 }));
  const countOf = (gram: string): number => counts.get(gram) ?? 0;

  it('come in the order of the files that any of their n-grams is in', () => {
    expect(rarestGroups([['abc', 'ABC'], ['cde'], ['bcd'], ['def']], 6, countOf)).toEqual([['def'], ['bcd'], ['abc', 'ABC'], ['cde']]);
  });

  it('are no more than asked for, those of equal counts in the order of the pattern', () => {
    expect(rarestGroups([['cde'], ['abc'], ['xyz'], ['def']], 2, countOf)).toEqual([['xyz'], ['def']]);
    expect(rarestGroups([['abc']], Number.POSITIVE_INFINITY, countOf)).toEqual([['abc']]);
  });
});

const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

describe('a literal pattern', () => {
  it('is one of letters, digits, blanks and signs that mean themselves in both dialects', () => {
    const literal = ascii.filter((character) => isLiteral(`a${character}b`, false)).join('');
    expect(literal).toBe(` !"%&',-/0123456789:;<=>@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~`);
  });

  it('stays one wherever such a character stands', () => {
    for (const pattern of ['zap_page_range_single', 'struct device', '-x', '--', '"quoted"', 'a/b/c', '<start>', '!not', 'Ñandú 漢字 𐐨']) {
      expect(isLiteral(pattern, false)).toBe(true);
    }
  });

  it('is none with any sign of an expression, wherever it stands', () => {
    for (const sign of '\\.*+?()[]{}|^$#`') {
      for (const pattern of [`${sign}abc`, `ab${sign}c`, `abc${sign}`]) expect(isLiteral(pattern, false)).toBe(false);
    }
  });

  it('is none with marks, digits or signs beyond ASCII, with control characters, or empty', () => {
    for (const pattern of ['e\u0301x', '٣٣٣', '€uro', '😀😀😀', 'a\tb', 'a\nb', 'a\u200db', '\ufeffab', '']) expect(isLiteral(pattern, false)).toBe(false);
  });

  it('is any text that is asked for as fixed', () => {
    for (const pattern of ['a.*b', '\\', '😀', 'a\nb']) expect(isLiteral(pattern, true)).toBe(true);
  });
});
