import { execFileSync } from 'node:child_process';
import { rgPath } from '@vscode/ripgrep';
import { describe, expect, it } from 'vitest';
import { type CasefoldStrategy, foldText } from '../../../../../src/content-search/ngram-index/tokenize/casefold.ts';

const letters = Array.from({ length: 0x20000 }, (_, point) => String.fromCodePoint(point)).filter((character) => /[\p{L}\p{M}\p{N}\p{S}]/u.test(character));
const input = `${letters.join('\n')}\n`;

/** The letters that have a partner, by what they fold to. */
function classesOf(strategy: CasefoldStrategy): string[][] {
  const byFold = new Map<string, string[]>();
  for (const letter of letters) {
    const folded = foldText(letter, strategy);
    const members = byFold.get(folded) ?? [];
    byFold.set(folded, members);
    members.push(letter);
  }
  return [...byFold.values()].filter((members) => members.length > 1);
}

/** Lines of the input that the program finds with -i for any of the patterns. */
function found(program: string, args: readonly string[], patterns: readonly string[]): string[] {
  const output = execFileSync(program, [...args, ...patterns.flatMap((pattern) => ['-e', pattern]), '-'], { input, maxBuffer: 1 << 26 });
  return output.toString('utf8').trimEnd().split('\n');
}

/**
 * Every class gets a number from 1, and each bit of the numbers a run that looks for one member of each class with that bit: a
 * letter is found in exactly the runs of its own class's bits, or it belongs to another class for the program than for us.
 */
function runsOf(classes: readonly string[][]): { readonly patterns: string[]; readonly expected: string[] }[] {
  const bits = Math.ceil(Math.log2(classes.length + 1));
  return Array.from({ length: 2 * bits }, (_, run) => {
    const chosen = classes.filter((_members, at) => ((at + 1) >> Math.floor(run / 2)) & 1);
    const expected = new Set(chosen.flat());
    return { patterns: chosen.map((members) => members.at(run % 2 === 0 ? 0 : -1) ?? ''), expected: letters.filter((letter) => expected.has(letter)) };
  });
}

const BACKENDS = [
  { name: 'ripgrep', program: rgPath, args: ['--no-config', '-a', '-F', '-x', '-i', '--color=never'], strategy: 'UNICODE_SIMPLE' },
  { name: 'ugrep', program: 'ugrep', args: ['-a', '-F', '-x', '-i', '--color=never', '--no-line-number', '--no-filename'], strategy: 'ASCII' },
] as const;

describe('the way a backend folds letters', () => {
  it.each(BACKENDS)(
    'is exactly ours for every letter: $name folds as $strategy',
    { tags: ['FR-LSI-TOK-04.2', 'FR-LSI-CAND-LIT-05.3'] },
    ({ program, args, strategy }) => {
      for (const { patterns, expected } of runsOf(classesOf(strategy))) expect(found(program, args, patterns)).toEqual(expected);
    },
  );
});
