import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedWords, MAX_PREFIXES, MAX_WORDS, piecesOf } from '../../../../src/messages/search/bounded-words.ts';
import { normalText, sanitizeFtsQuery } from '../../../../src/messages/search/sanitize.ts';
import { HOSTILE_PART } from '../../../support/hostile-words.ts';

/** Words and prefixes that FTS5 is asked for, each as often as it would read a list for it. */
function work(expression: string): { words: number; prefixes: number; shortest: number } {
  const pieces = piecesOf(expression) ?? [];
  const starred = pieces.filter((piece, at) => {
    const next = pieces[at + 1];
    return 'phrase' in piece && next !== undefined && 'sign' in next && next.sign === '*';
  });
  return {
    words: pieces.reduce((sum, piece) => sum + ('phrase' in piece ? piece.words.length : 0), 0),
    prefixes: starred.length,
    shortest: Math.min(...starred.map((piece) => ('phrase' in piece ? [...(piece.words.at(-1) ?? '')].length : 0)), 99),
  };
}

describe('what FTS5 is asked at the most', () => {
  it.each([
    'deploy',
    'deploy AND fix*',
    '"POL-358" OR plan*',
    'subject:plan',
    'NEAR(plan draft, 5)',
    '(plan OR draft) NOT lunch',
    '^plan + draft*',
    'plan NOT draft',
    '{subject body}: "build plan"',
    '中*',
  ])('leaves %s as it is', (expression) => {
    expect(boundedWords(expression)).toEqual({ expression, notes: [] });
  });

  it('asks for a word once, however often it is written', () => {
    expect(boundedWords('plan Draft plan draft PLAN')).toEqual({ expression: 'plan Draft', notes: [] });
    expect(boundedWords('plan* OR draft OR plan*').expression).toBe('plan* OR draft');
    expect(boundedWords('plan AND plan*').expression).toBe('plan AND plan*');
  });

  it.each(['plan plan AND _', 'plan AND "" AND plan', 'plan AND plan \u0301'])(
    'keeps the AND of a phrase without words, which finds nothing: %j',
    (expression) => {
      expect(boundedWords(expression)).toEqual({ expression, notes: [] });
    },
  );

  it('takes the beginning of one letter for a word, and says so', () => {
    expect(boundedWords('a*a*a*')).toEqual({ expression: 'a', notes: [expect.stringContaining('at least 2 characters')] });
    expect(boundedWords('(é* OR plan*) NOT b *').expression).toBe('( é OR plan * ) NOT b');
    expect(boundedWords('"the p"*').expression).toBe('"the p"');
  });

  it('cuts a long list, of words, of alternatives and of prefixes, and says so', () => {
    const words = Array.from({ length: 100 }, (_, index) => `word${index}`);
    for (const [text, join] of [
      [words.join(' '), ' '],
      [words.join(' AND '), ' '],
      [words.join(' OR '), ' OR '],
    ] as const) {
      expect(boundedWords(text)).toEqual({ expression: words.slice(0, MAX_WORDS).join(join), notes: [expect.stringContaining('only the first 32 words')] });
    }
    expect(boundedWords(words.map((word) => `${word}*`).join(' ')).expression).toBe(
      words
        .slice(0, MAX_PREFIXES)
        .map((word) => `${word}*`)
        .join(' '),
    );
    expect(boundedWords(`"${words.join(' ')}"`).expression).toBe(`"${words.slice(0, MAX_WORDS).join(' ')}"`);
  });

  it('does not ask for more in an expression of which no part may be left out', () => {
    const many = Array.from({ length: 40 }, (_, index) => `(a${index} OR b${index}*)`).join(' ');
    expect(boundedWords(many).expression).toBeUndefined();
    expect(boundedWords(`(plan OR draft) NOT (${Array.from({ length: 9 }, (_, index) => `p${index}x*`).join(' OR ')})`).expression).toBeUndefined();
  });
});

describe('any text', () => {
  const text = fc
    .tuple(fc.array(HOSTILE_PART, { maxLength: 12 }), fc.integer({ min: 1, max: 400 }))
    .map(([parts, times]) => normalText(parts.join('').repeat(times).slice(0, 16_384)))
    .filter((one) => sanitizeFtsQuery(one) !== undefined);

  it('of 16 KiB costs FTS5 no more than its bounds', { tags: ['MS-050'] }, () => {
    fc.assert(
      fc.property(text, (one) => {
        const { expression } = boundedWords(sanitizeFtsQuery(one) ?? '');
        if (expression === undefined || piecesOf(expression) === undefined) return;
        const { words, prefixes, shortest } = work(expression);
        expect(words).toBeLessThanOrEqual(MAX_WORDS);
        expect(prefixes).toBeLessThanOrEqual(MAX_PREFIXES);
        // One character is enough where it is a word.
        expect(
          shortest >= 2 ||
            /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar}/u.test(
              expression,
            ),
        ).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
