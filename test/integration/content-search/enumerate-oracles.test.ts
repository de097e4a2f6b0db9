import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileDenied } from '../../../src/content-search/enumerate/denied.ts';
import { enumerate } from '../../../src/content-search/enumerate/enumerate.ts';
import { compileGlobs } from '../../../src/content-search/enumerate/globs.ts';
import { nodeSearchTree } from '../../../src/content-search/io/tree/tree.ts';
import { cases } from '../../support/oracle-runs.ts';
import { createRandom, type Random } from '../../support/random.ts';

// Two independent readers of ignore files. Their language is that of the enumerator but for these, which are left out here:
// - a bracket that nothing closes: no rule for git and for us, an error for ripgrep;
// - `a***/b`, and `**` before an escaped slash: any directories for git, a run of stars in one name for us (as in `ignore`);
// - `a**/b`: git takes the plain beginning off and then reads `**/b`; a run of stars in one name for ripgrep and us;
// - names beyond ASCII under `?` and brackets: these take a byte for git and ripgrep, a code point for us;
// - names that are not UTF-8: bytes for git, U+FFFD for us.
// And in what is listed: ripgrep lists hidden files that a rule lets in, we do so only with `hidden`.
const NAMES = ['a', 'b', 'ab', 'abc', 'a.c', 'b.h', 'c.txt', 'build', '.x', '-d', 'x y', '#h', '!n'];
const NAME_PATTERNS = [
  'a',
  'b',
  'a*',
  '*b',
  '*.c',
  '*.[ch]',
  '?',
  '??',
  'a?c',
  '*b*',
  'build',
  '.x',
  '-d',
  'x y',
  '\\#h',
  '[!a]',
  '[a-b]',
  '[^a-z]*',
  'é',
  '*',
  'abc',
  'c.tx[t]',
  'a\\b',
];

/** What git reads otherwise than ripgrep and we. */
const RIPGREP_PATTERNS = [...NAME_PATTERNS, 'a**', 'a**/*', '**b'];

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'writ-rules-')));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('the enumerator', () => {
  it('lists what git would add, with excludes of the repository and of the user', { tags: ['FR-LSI-ELIG-01.1'] }, () => {
    const random = createRandom(61);
    for (let tree = 0; tree < cases(15); tree++) {
      const top = path.join(root, `git-${tree}`);
      plantTree(random, top, ['.gitignore']);
      git(top, 'init', '-q');
      writeFileSync(path.join(top, '.git/info/exclude'), rules(random));
      const globalIgnore = rules(random);
      writeFileSync(path.join(root, 'excludes'), globalIgnore);
      const listed = git(top, '-c', `core.excludesFile=${path.join(root, 'excludes')}`, 'ls-files', '--others', '--exclude-standard', '-z');
      expect([tree, ours(top, globalIgnore)]).toEqual([tree, sorted(listed)]);
    }
  });

  it('lists what ripgrep lists, .ignore files included', { tags: ['FR-LSI-ELIG-01.1'] }, () => {
    const random = createRandom(62);
    for (let tree = 0; tree < cases(20); tree++) {
      const top = path.join(root, `rg-${tree}`);
      plantTree(random, top, ['.gitignore', '.ignore'], RIPGREP_PATTERNS);
      const listed = run(rgPath, ['--files', '--no-config', '--no-require-git', '--no-ignore-parent', '--no-ignore-global', '--hidden', '-0'], top);
      expect([tree, ours(top, undefined)]).toEqual([tree, sorted(listed)]);
    }
  });

  it('lists what ripgrep lists with the same globs', () => {
    const random = createRandom(63);
    for (let tree = 0; tree < cases(20); tree++) {
      const top = path.join(root, `globs-${tree}`);
      plantTree(random, top, []);
      const globs = Array.from({ length: 1 + random.integer(3) }, () => rule(random, RIPGREP_PATTERNS)).filter((glob) => !glob.startsWith('#'));
      const listed = run(rgPath, ['--files', '--no-config', '--hidden', '--no-ignore', '-0', ...globs.flatMap((glob) => ['-g', glob])], top);
      expect([globs, ours(top, undefined, globs)]).toEqual([globs, sorted(listed)]);
    }
  });
});

function plantTree(random: Random, top: string, ignoreFiles: readonly string[], patterns = NAME_PATTERNS): void {
  const directories = [''];
  mkdirSync(top);
  for (let count = 10 + random.integer(30); count > 0; count--) {
    const at = path.join(random.pick(directories), random.pick(NAMES));
    try {
      if (random.chance(0.35)) {
        mkdirSync(path.join(top, at));
        directories.push(at);
      } else writeFileSync(path.join(top, at), '', { flag: 'wx' });
    } catch {
      // The name is taken already.
    }
  }
  for (const directory of directories) {
    for (const name of ignoreFiles) if (random.chance(directory === '' ? 0.9 : 0.3)) writeFileSync(path.join(top, directory, name), rules(random, patterns));
  }
}

const rules = (random: Random, patterns = NAME_PATTERNS): string =>
  `${Array.from({ length: 1 + random.integer(5) }, () => rule(random, patterns)).join('\n')}\n`;

function rule(random: Random, patterns: readonly string[]): string {
  const names = Array.from({ length: random.chance(0.6) ? 1 : 2 + random.integer(2) }, () => (random.chance(0.15) ? '**' : random.pick(patterns)));
  const text = `${random.chance(0.2) ? '/' : ''}${names.join('/')}${random.chance(0.25) ? '/' : ''}`;
  return `${random.chance(0.3) ? '!' : ''}${text}`;
}

const GIT_ENVIRONMENT = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: os.devNull, HOME: os.devNull };
const git = (cwd: string, ...args: string[]): string => execFileSync('git', args, { cwd, env: GIT_ENVIRONMENT, encoding: 'utf8' });

/** ripgrep ends with 1 when there is no file at all. */
function run(program: string, args: string[], cwd: string): string {
  return execFileSync('sh', ['-c', '"$0" "$@" || test $? = 1', program, ...args], { cwd, encoding: 'utf8' });
}

const sorted = (listed: string): string[] =>
  listed
    .split('\0')
    .filter((file) => file !== '')
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

function ours(orderRoot: string, globalIgnore: string | undefined, globs: readonly string[] = []): string[] {
  const compiled = compileGlobs(globs);
  if (!compiled.ok) throw new Error(compiled.message);
  const noIgnore = globs.length > 0;
  const options = {
    orderRoot,
    start: '',
    hidden: true,
    follow: false,
    noIgnore,
    globs: compiled.globs,
    denied: compileDenied([]),
    allowedRoots: [orderRoot],
    globalIgnore,
  };
  return enumerate(nodeSearchTree(), options)
    .next(1_000_000)
    .map(({ text }) => text);
}
