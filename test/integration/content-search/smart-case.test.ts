import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smartCaseIgnoresCase } from '../../../src/content-search/search/smart-case.ts';
import { cases } from '../../support/oracle-runs.ts';
import { createRandom, type Random } from '../../support/random.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'writ-smart-case-'));
  const letters = ['a', 'b', 'é', 'ж', 'k', 'σ', 'ⅷ', 'ⓐ', 'ǆ', '1', '_', '-', ']', ' ', 'x41'];
  writeFileSync(path.join(folder, 'hay'), letters.flatMap((one) => [one, one.toUpperCase(), `${one}b`, `${one.toUpperCase()}B`, `${one}${one}`]).join('\n'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The lines that match; undefined where ripgrep does not take the pattern. */
function lines(pattern: string, ...options: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(rgPath, ['--no-config', '-n', ...options, '-e', pattern, 'hay'], { cwd: folder, encoding: 'utf8' });
  return status === 2 ? undefined : stdout;
}

/** What ripgrep's own smart case does; undefined where nobody can tell. */
function ripgrepIgnoresCase(pattern: string, literal: readonly string[]): boolean | undefined {
  const smart = lines(pattern, '-S', ...literal);
  if (smart === undefined) return undefined;
  const [sensitive, insensitive] = ['-s', '-i'].map((how) => lines(pattern, how, ...literal));
  if (sensitive === insensitive) return undefined;
  return smart === insensitive;
}

const FIXED = [
  ...['a', 'A', '[[:upper:]]', '[[:^lower:]]', '[[:lower:]]b', '\\x41', '\\x61', '\\x{41}', '\\x{61}', '\\u0041', '\\u{41}', '\\U00000041', '\\u00c9'],
  ...[
    '\\p{Lu}',
    '\\p{Ll}b',
    '\\pL',
    '[A-Z]',
    '[a-z]',
    '[^A]',
    '[^a]',
    '[]a]',
    '[^]A]',
    '[a&&[^B]]',
    '[\\x41-\\x5A]',
    '[[:upper:]a]',
    '[[:Foo]',
    '[\\d]',
    '(?P<Name>a)',
  ],
  ...[
    '(?:A)',
    '(?i)a',
    '[(?A)]',
    '\\S',
    '.',
    '^',
    'a{1,2}',
    '\\w{2}',
    'Ⅷ',
    'ⅷ',
    'Ⓐ',
    'ǅ',
    '\\_a',
    '\\-',
    '\\x{1F600}|[[:upper:]]',
    '[a{A}]',
    '\\bA',
    '\\ba',
    '\\b{start}a',
  ],
];
const PIECES = [
  'a',
  'B',
  'é',
  'É',
  'ж',
  '1',
  '.',
  '\\w',
  '\\S',
  '\\pL',
  '\\p{Lu}',
  '\\x41',
  '\\x{e9}',
  '\\u0042',
  '[a-b]',
  '[[:upper:]]',
  '[[:alpha:]_]',
  '[^\\dA]',
  '[b-é]',
];
PIECES.push('(?:', ')', '|', '*', '?', '{2}', '{1,}', '[', ']', '^', '$', '\\.', '\\]', '&&', '--', '-', '\\b', '(?P<Xy>', '(?i)', '\\n');

describe('smart case', () => {
  it.each(FIXED)('is for %s what ripgrep makes of it', (pattern) => {
    const expected = ripgrepIgnoresCase(pattern, []);
    if (expected !== undefined) expect(smartCaseIgnoresCase(pattern, false)).toBe(expected);
  });

  it('is what ripgrep makes of any pattern, as text and as an expression', () => {
    const random = createRandom(181);
    let decided = 0;
    for (let count = 0; count < cases(120); count += 1) {
      const pattern = patternOf(random);
      for (const isText of [true, false]) {
        const expected = ripgrepIgnoresCase(pattern, isText ? ['-F'] : []);
        if (expected === undefined) continue;
        decided += 1;
        expect([pattern, isText, smartCaseIgnoresCase(pattern, isText)]).toEqual([pattern, isText, expected]);
      }
    }
    expect(decided).toBeGreaterThan(4);
  });
});

const patternOf = (random: Random): string => Array.from({ length: 1 + random.integer(4) }, () => random.pick(PIECES)).join('');
