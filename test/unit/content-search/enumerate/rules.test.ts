import * as fc from 'fast-check';
import ignore from 'ignore';
import { describe, expect, it } from 'vitest';
import { parseIgnoreFile } from '../../../../src/content-search/enumerate/ignore-file.ts';
import { matchesName, namePattern, STAR } from '../../../../src/content-search/enumerate/name-pattern.ts';
import { compileRules, enter, matchRules, type RuleMatch, type RuleState } from '../../../../src/content-search/enumerate/rules.ts';
import { cases } from '../../../support/oracle-runs.ts';

/** Pieces of rules in which every sign of the language stands beside every other. */
const SIGNS: readonly string[] = [
  ...['a', 'b', 'c', 'ab', 'é', '.', '-', ' ', '#', '!', '{', '}', ',', '^', '$', '(', ')', '+', '|', ']', ':', '\ud83d\ude00'],
  ...['*', '*', '**', '***', '?', '/', '/', '/**/', '**/', '/**', '\\', '\\*', '\\/', '\\ ', '\\[', '\\!', '\\#', '\\a', '\\\\'],
  ...[
    '[',
    '[a]',
    '[!a]',
    '[^a]',
    '[a-c]',
    '[c-a]',
    '[]a]',
    '[!]]',
    '[[:alpha:]]',
    '[[:nope:]]',
    '[[:]',
    '[a/b]',
    '[\\]]',
    '[-a]',
    '[a-]',
    '[*?]',
    '[ ]',
    '[!-~]',
  ],
];
/** To the package alone such a rule means the directory before its escaped slash, too; to git and ripgrep it means what is in it. */
const isOdd = (rule: string): boolean => rule.includes('\\/**');
const line = fc
  .array(fc.constantFrom(...SIGNS), { minLength: 1, maxLength: 7 })
  .map((parts) => parts.join(''))
  .filter((rule) => !isOdd(rule));
const file = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 5 }), fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\ufeff'))
  .map(([lines, end, bom]) => bom + lines.join(end));
const NAMES = [
  'a',
  'b',
  'c',
  'ab',
  'ba',
  'abc',
  'aXb',
  'é',
  '.a',
  'a.',
  '-',
  ' ',
  'a ',
  '#a',
  '!a',
  '*',
  '**',
  '?',
  '\\',
  '[a]',
  ']',
  'A',
  '{a,b}',
  '^',
  '$',
  '(a)',
  'a+',
  '\ud83d\ude00',
  '~',
];
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 5 });

const placeAt = (top: RuleState, directories: readonly string[]): RuleState => directories.reduce(enter, top);

/** `ignore` takes a UTF-16 unit for a character: to it, one of two units is told as one of one unit. */
const inOneUnit = (text: string): string => text.replaceAll('\ud83d\ude00', '中');

/** What `ignore` alone says; undefined for a path beneath one that it ignores: there it speaks of the parent. */
function oracle(ruleText: string, path: readonly string[], isDirectory: boolean): RuleMatch | 'parent' {
  const names = path.map(inOneUnit);
  const whole = ignore({ ignoreCase: false, allowRelativePaths: true }).add(inOneUnit(ruleText));
  for (let length = 1; length < names.length; length++) if (whole.test(`${names.slice(0, length).join('/')}/`).ignored) return 'parent';
  const { ignored, unignored } = whole.test(names.join('/') + (isDirectory ? '/' : ''));
  return ignored ? 'out' : unignored ? 'in' : undefined;
}

describe('rules of ignore files', () => {
  it('say of each single rule and path what the package ignore says', { tags: ['FR-LSI-ELIG-01.1'] }, () => {
    fc.assert(
      fc.property(line, path, fc.boolean(), (rule, names, isDirectory) => {
        fc.pre(!/^[!#]/.test(rule));
        const expected = oracle(`!${rule}`, names, isDirectory);
        const top = compileRules(parseIgnoreFile(`!${rule}`));
        expect([rule, names.join('/'), matchRules(placeAt(top, names.slice(0, -1)), names.at(-1) ?? '', isDirectory)]).toEqual([
          rule,
          names.join('/'),
          expected,
        ]);
      }),
      { numRuns: cases(4_000) },
    );
  });

  it('say of whole files what ignore says: the last rule that fits decides, whatever table it is kept in', () => {
    fc.assert(
      fc.property(file, path, fc.boolean(), (rules, names, isDirectory) => {
        const expected = oracle(rules, names, isDirectory);
        fc.pre(expected !== 'parent');
        const top = compileRules(parseIgnoreFile(rules));
        expect([rules, names, matchRules(placeAt(top, names.slice(0, -1)), names.at(-1) ?? '', isDirectory)]).toEqual([rules, names, expected]);
      }),
      { numRuns: cases(2_000) },
    );
  });

  it.each([
    ['?', '\ud83d\ude00', 'out'],
    ['??', '\ud83d\ude00', undefined],
    ['*??', 'x\ud83d\ude00', 'out'],
    ['*???', 'x\ud83d\ude00', undefined],
    ['[!x]', '\ud83d\ude00', 'out'],
    ['*[!\ud83d\ude00]', '\ud83d\ude00', undefined],
    ['[\ud83d\ude00-\ud83d\ude02]', '\ud83d\ude01', 'out'],
    ['[!\ud83d\ude00-\ud83d\ude02]', '\ud83d\ude01', undefined],
    ['[[:alpha:]\ud83d\ude00]', 'a', 'out'],
    ['[[:alpha:]\ud83d\ude00]', '1', undefined],
    ['[a-\ud83d\ude00]', '\uffee', 'out'],
    ['*\ud83d\ude00?', 'a\ud83d\ude00b', 'out'],
  ] as const)('take one code point for one character: %s and %s', (rule, name, said) => {
    expect(matchRules(compileRules(parseIgnoreFile(rule)), name, false)).toBe(said);
  });

  it.each([
    ['x\\/**', ['x'], undefined],
    ['x\\/***', ['x'], undefined],
    ['x\\/**', ['x', 'q'], 'out'],
    ['\\/**', ['q'], undefined],
  ] as const)('mean by an escaped slash and stars what is in a directory, as to git, and not the directory: %s and %s', (rule, names, said) => {
    const place = placeAt(compileRules(parseIgnoreFile(rule)), names.slice(0, -1));
    expect(matchRules(place, names.at(-1) ?? '', names.length === 1)).toBe(said);
  });

  it('keep a rule about endings right when tails are answered from memory', () => {
    const state = compileRules(parseIgnoreFile('*.o\n!*.keep.o\n*.d/\n*.[ch].*\n'));
    const said = (name: string, isDirectory = false): RuleMatch => matchRules(state, name, isDirectory);
    for (let round = 0; round < 2; round++) {
      expect([said('x.o'), said('x.keep.o'), said('keep.o'), said('x.d'), said('x.d', true), said('a.c.b'), said('.o'), said('o')]).toEqual([
        'out',
        'in',
        'out',
        undefined,
        'out',
        'out',
        'out',
        undefined,
      ]);
    }
  });
});

/** A test of one unit that counts how often it is asked. */
function counted(unit: string): { readonly steps: () => number; readonly test: (unit: number) => boolean } {
  let steps = 0;
  return {
    steps: () => steps,
    test: (asked) => {
      steps++;
      return asked === unit.charCodeAt(0);
    },
  };
}

describe('hostile rules', () => {
  it('cost at most the length of the name times the length of the rule, however many stars they have', () => {
    const { steps, test } = counted('a');
    const stars = Array.from({ length: 100 }, () => [STAR, test]).flat();
    const pattern = namePattern([...stars, 'b'.charCodeAt(0)]);
    expect(matchesName(pattern, `${'a'.repeat(254)}b`)).toBe(true);
    expect(matchesName(pattern, `b${'a'.repeat(254)}`)).toBe(false);
    expect(steps()).toBeLessThanOrEqual(2 * 255 * 101);
  });

  it('are refused without a step when they ask for more than a name has', () => {
    const { steps, test } = counted('a');
    expect(matchesName(namePattern(Array.from({ length: 100_000 }, () => [STAR, test]).flat()), 'a'.repeat(255))).toBe(false);
    expect(steps()).toBe(0);
  });

  it('hold one state for each of their segments, however many ways there are through them', () => {
    const ways = `${'**/a/'.repeat(200)}b`;
    let state = compileRules(parseIgnoreFile(ways));
    for (let depth = 0; depth < 400; depth++) {
      state = enter(state, 'a');
      expect(state.at.length).toBeLessThanOrEqual(401);
    }
    expect([matchRules(state, 'b', false), matchRules(state, 'c', false)]).toEqual(['out', undefined]);
  });
});
