import { describe, expect, it } from 'vitest';
import type { ContentSearchAnswer, ContentSearchEvent } from '../../../../../src/contracts/index.ts';
import { WritError } from '../../../../../src/core/errors.ts';
import type { ContentSearchOutcome } from '../../../../../src/core/ports/index.ts';
import type { CliDeps, LocalSearchOptions } from '../../../../../src/surfaces/cli/services.ts';
import { NO_INDEX_SEARCH } from '../../../../support/content/facts.ts';
import { createWorld } from '../world.ts';

const event = (path: string, line_number: number, text: string, type: ContentSearchEvent['type'] = 'match'): ContentSearchEvent => ({
  type,
  data: { path: { text: path }, line_number, lines: { text } },
});
const ANSWER: ContentSearchAnswer = {
  pattern: 'x',
  path: '.',
  count: 2,
  matches: [event('a.txt', 1, 'x one'), event('b/c.txt', 7, 'two x')],
  truncated: false,
  timed_out: false,
  exit_code: 0,
  content: '',
};
const NOTHING: ContentSearchAnswer = { ...ANSWER, count: 0, matches: [], exit_code: 1 };

/** A command line whose tool answers this; also what it was asked. */
async function searching(answer: Partial<ContentSearchAnswer> | Extract<ContentSearchOutcome, { ok: false }>['error'] | Error) {
  const asked: { wish?: LocalSearchOptions; request?: unknown } = {};
  const io = { cwd: () => '/work/here', realPath: (path: string) => (path === '/work/here/link/..' ? '/elsewhere' : path) };
  const openContentSearch: CliDeps['openContentSearch'] = async (_options, wish) => {
    asked.wish = wish;
    if (answer instanceof Error) throw answer;
    return {
      async search(request) {
        asked.request = request;
        if ('code' in answer) return { ok: false, error: answer };
        return {
          ok: true,
          answer: { ...ANSWER, ...answer },
          run: {
            backend: 'rg',
            elapsedMs: 1,
            files: 1,
            processes: 1,
            fallbackUsed: false,
            indexBypass: 'INDEX_OFF',
            facts: NO_INDEX_SEARCH,
            backendStderr: '',
          },
        };
      },
    };
  };
  const world = await createWorld();
  return { asked, writ: (...args: string[]) => world.cli(['search', ...args], '', { io, openContentSearch }) };
}

describe('writ search', () => {
  it('writes path:line:text lines, and needs no server', async () => {
    const { writ, asked } = await searching({});
    expect(await writ('x')).toMatchObject({ code: 0, out: 'a.txt:1:x one\nb/c.txt:7:two x\n', err: '' });
    expect(asked).toEqual({
      wish: { workingDirectory: '/work/here', backend: undefined, stats: false, fuzzy: false, indexed: '/work/here' },
      request: { pattern: 'x', max_results: 10_000_000, timeout_ms: 600_000 },
    });
  });

  it('asks for what its options say', async () => {
    const { writ, asked } = await searching({});
    await writ(
      '-i',
      '-F',
      '-w',
      '-.',
      '-L',
      '--no-ignore',
      '-g',
      '*.ts',
      '-g',
      '!dist',
      '-C',
      '2',
      '-m',
      '5',
      '--timeout',
      '5s',
      '--fuzzy',
      '2',
      '--backend',
      'ugrep',
      '--stats',
      'x',
      'src',
    );
    expect(asked.wish).toEqual({ workingDirectory: '/work/here', backend: 'ugrep', stats: true, fuzzy: true });
    expect(asked.request).toEqual({
      pattern: 'x',
      path: 'src',
      case: 'insensitive',
      fixed_strings: true,
      word_regexp: true,
      hidden: true,
      follow: true,
      no_ignore: true,
      glob: ['*.ts', '!dist'],
      context: 2,
      max_results: 5,
      timeout_ms: 5000,
      fuzzy: 2,
    });
  });

  it('takes a pattern that begins with a dash behind --', async () => {
    const { writ, asked } = await searching({});
    await writ('-s', '--', '-x');
    expect(asked.request).toMatchObject({ pattern: '-x', case: 'sensitive' });
  });

  it('answers one JSON document with --json, as the tool has it', async () => {
    const { writ } = await searching({ matches: [event('\u001b.txt', 1, '\u001b[2J')], count: 1 });
    const said = await writ('x', '--json');
    expect(said.lines).toEqual([{ ...ANSWER, count: 1, matches: [event('\u001b.txt', 1, '\u001b[2J')] }]);
    expect(said.out).not.toContain('\u001b');
  });

  it.each([
    [0, {}, 0],
    [1, NOTHING, 1],
    [2, { ...NOTHING, exit_code: 2, stderr: 'a.txt: Permission denied\n' }, 2],
    [0, { exit_code: 0, stderr: 'a.txt: Permission denied\n' }, 0],
    [2, { ...NOTHING, timed_out: true }, 2],
    [0, { timed_out: true }, 0],
    [1, { ...NOTHING, count: 1, matches: [event('a', 1, 'x', 'context')] }, 1],
  ])('exits with %i for %o, as grep does', async (_code, answer, code) => {
    const { writ } = await searching(answer);
    expect((await writ('x')).code).toBe(code);
  });

  it.each([
    [{ code: 'BadArgs', field: 'pattern', message: 'is no regular expression' } as const, 'writ: pattern: is no regular expression (BadArgs)\n'],
    [{ code: 'ExecutionFailed', field: 'path', message: 'is not there' } as const, 'writ: path: is not there (ExecutionFailed)\n'],
    [new WritError('ExecutionFailed', 'there is no program that searches files'), 'writ: there is no program that searches files (ExecutionFailed)\n'],
    [new Error('quite unforeseen'), 'writ: quite unforeseen (ExecutionFailed)\n'],
  ])('exits with 2 for %o', async (error, err) => {
    const { writ } = await searching(error);
    expect(await writ('x')).toMatchObject({ code: 2, out: '', err });
  });

  it.each([
    [],
    ['x', 'a', 'b'],
    ['x', '--backend', 'grep'],
    ['x', '--no-such-option'],
    ['x', '-i', '-s'],
    ['x', '-m', '0'],
    ['x', '-C', 'two'],
    ['x', '--timeout', '11m'],
    ['x', '--timeout', '0'],
    ['x', '--fuzzy', '5'],
  ])('exits with 2 for the wrong usage %j %j %j', async (...args) => {
    const { writ, asked } = await searching({});
    const said = await writ(...args);
    expect({ code: said.code, out: said.out, asked }).toEqual({ code: 2, out: '', asked: {} });
    expect(said.err).toMatch(/^writ: .*\(INVALID_ARGUMENT\)/);
  });

  it('tells on stderr what could not be searched, and what is missing', async () => {
    const { writ } = await searching({ path: 'src', stderr: 'src/a: Permission denied\nsrc/b: Permission denied\n', truncated: true, count: 2 });
    expect((await writ('x', '../src')).err).toBe(
      'writ: ../src/a: Permission denied\nwrit: ../src/b: Permission denied\nwrit: there are more lines than these 2\n',
    );
    expect((await (await searching({ timed_out: true, truncated: true })).writ('x', '--timeout', '3s')).err).toBe(
      'writ: the time was up (--timeout 3s): there may be more\n',
    );
  });
});
