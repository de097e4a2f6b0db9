import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../../../config/package.ts';
import { describedCommands } from '../../../../scripts/command-tree.ts';
import { docsFiles } from '../../../../scripts/docs/files.ts';
import { driftOf } from '../../../../scripts/generated.ts';
import { fishCompletion, zshCompletion } from '../../../../scripts/shell/completions.ts';
import { manPage } from '../../../../scripts/shell/man-page.ts';
import { everyCommand, type Outline, outlineOf } from '../../../../scripts/shell/outline.ts';
import { commandLine } from '../../../support/command-line.ts';

const inRoot = (file: string): string => path.join(packageRoot(), file);
/** What a real bash offers for lines, the last word of each unfinished. */
function offered(lines: readonly string[]): string[][] {
  const asks = lines.map((line) => `COMP_WORDS=(${line.replace(/ $/, " ''")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _writ; echo "\${COMPREPLY[*]}"`);
  const script = ['set -eu', `source ${inRoot('deploy/completion/writ.bash')}`, 'complete -p writ', ...asks].join('\n');
  const [how, ...answers] = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' }).trimEnd().split('\n');
  expect(how).toBe('complete -o default -F _writ writ');
  return answers.map((answer) => answer.split(' '));
}

describe('completion', () => {
  let program: Outline;
  beforeAll(async () => {
    program = outlineOf(await describedCommands());
  });

  it('is written from the commands that there are', async () => {
    expect(driftOf(await docsFiles(), 'npm run docs')).toEqual([]);
  });

  it('completes commands, commands below them and options in a real bash', () => {
    const lines = ['writ ta', 'writ tasks l', 'writ tasks list --st', 'writ --json queue pa', 'writ push --si', 'writ messages ', 'writ push --data'];
    expect(offered(lines)).toEqual([['tasks'], ['list'], ['--state'], ['pause'], ['--sign'], expect.arrayContaining(['import', 'search']), ['--data-dir']]);
  });

  it('offers every command by its name', () => {
    const names = everyCommand(program).filter(({ words }) => words.length > 0);
    const answers = offered(names.map(({ words }) => `writ ${words.join(' ')}`));
    for (const [at, { words }] of names.entries()) expect(answers[at]).toContain(words.at(-1));
  });

  it('names every command for zsh and fish, with quotes in their texts escaped', () => {
    const odd: Outline = {
      words: ['x'],
      summary: "it's 5: a",
      usage: '',
      options: [{ names: ['-q', '--quick'], flags: '-q, --quick', summary: "don't" }],
      children: [],
    };
    const small: Outline = { words: [], summary: 'p', usage: '', options: [], children: [odd] };
    expect(zshCompletion(small)).toContain("commands=('x:it'\\''s 5\\: a')");
    expect(fishCompletion(small)).toContain("-a 'x' -d 'it\\'s 5: a'");
    expect(fishCompletion(small)).toContain("-d 'don\\'t' -s q -l quick");
    for (const { words } of everyCommand(program)) {
      if (words.length === 0) continue;
      expect(zshCompletion(program)).toContain(`'/${words.join('/')}')`);
      expect(fishCompletion(program)).toContain(`'/${words.join('/')}'`);
    }
  });

  it('is printed by the command, for the three shells and no other', async () => {
    for (const [shell, begins] of [
      ['bash', '# Written'],
      ['zsh', '#compdef writ'],
      ['fish', '# Written'],
    ] as const)
      expect(await commandLine(['completion', shell])).toEqual({ code: 0, out: expect.stringMatching(new RegExp(`^${begins}`)), err: '' });
    expect(await commandLine(['completion', 'tcsh'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('bash, zsh, fish') });
  });
});

describe('the manual page', () => {
  it('has every command and option, and no line that roff would take for a request', async () => {
    const program = outlineOf(await describedCommands());
    const page = manPage(program);
    for (const { words, options } of everyCommand(program)) {
      expect(page).toContain(`writ ${words.join(' ').replaceAll('-', '\\-')}`.trimEnd());
      for (const { flags } of options) expect(page).toContain(flags.replaceAll('-', '\\-'));
    }
    const requests = new Set([...page.matchAll(/^\.(\S+)/gm)].map(([, name]) => name));
    expect([...requests].sort()).toEqual(['B', 'I', 'IR', 'RI', 'SH', 'SS', 'TH', 'TP', '\\"']);
    expect(manPage({ words: [], summary: 'p', usage: '', options: [{ names: [], flags: '-x', summary: '.so /etc/passwd \\fI' }], children: [] })).toContain(
      '\n\\&.so /etc/passwd \\efI\n',
    );
  });

  it('is rendered by man without a warning', () => {
    const env = { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' };
    const said = execFileSync('sh', ['-c', 'man --warnings -l "$1" 2>&1', 'sh', inRoot('deploy/man/writ.1')], { encoding: 'utf8', env });
    expect(said).toContain('writ tasks list [options]');
    expect(said).not.toMatch(/warning|error:/);
  });
});
