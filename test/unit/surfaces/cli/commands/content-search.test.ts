import { describe, expect, it } from 'vitest';
import type { ContentSearchAnswer, ContentSearchEvent, ContentSearchRequest } from '../../../../../src/contracts/index.ts';
import { WritError } from '../../../../../src/core/errors.ts';
import type { ContentSearchOutcome } from '../../../../../src/core/ports/index.ts';
import { literalPieces } from '../../../../../src/surfaces/cli/search/literal.ts';
import { COLOURED, type Look, PLAIN, renderEvents } from '../../../../../src/surfaces/cli/search/render.ts';
import { searchBaseOf } from '../../../../../src/surfaces/cli/search/search-base.ts';
import type { LocalContentSearch, LocalSearchOptions } from '../../../../../src/surfaces/cli/services.ts';
import { printableLine } from '../../../../../src/surfaces/cli/text/values.ts';
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
  const door: LocalContentSearch = {
    cwd: () => '/work/here',
    realPath: (path) => (path === '/work/here/link/..' ? '/elsewhere' : path),
    colour: () => false,
    async open(_options, wish) {
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
    },
  };
  const world = await createWorld();
  return { asked, writ: (...args: string[]) => world.cli(['search', ...args], '', { contentSearch: door }) };
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
    const { writ } = await searching({ stderr: 'src/a: Permission denied\nsrc/b: Permission denied\n', truncated: true, count: 2 });
    expect((await writ('x', '../src')).err).toBe(
      'writ: ../src/a: Permission denied\nwrit: ../src/b: Permission denied\nwrit: there are more lines than these 2\n',
    );
    expect((await (await searching({ timed_out: true, truncated: true })).writ('x', '--timeout', '3s')).err).toBe(
      'writ: the time was up (--timeout 3s): there may be more\n',
    );
  });
});

describe('where a search starts, and how its paths are shown', () => {
  const real = (path: string): string => (path === '/w/d/link/../x' ? '/real/x' : path);
  it.each<[string | undefined, string, string | undefined, [string, string, string][]]>([
    [undefined, '/w/d', undefined, [['a/b', '.', 'a/b']]],
    ['.', '/w/d', undefined, [['a/b', '.', './a/b']]],
    ['./', '/w/d', undefined, [['a/b', '.', './a/b']]],
    ['src', '/w/d', 'src', [['src/a', 'src', 'src/a']]],
    ['src/', '/w/d', 'src', [['src/a', 'src', 'src/a']]],
    ['./src//deep/.', '/w/d', 'src/deep', [['src/deep/a', 'src/deep', './src/deep/a']]],
    ['..', '/w', undefined, [['d/a', '.', '../d/a']]],
    ['../src', '/w', 'src', [['src/a', 'src', '../src/a']]],
    ['../../x', '/', 'x', [['x', 'x', '../../x']]],
    ['../../../x', '/', 'x', [['x', 'x', '../../../x']]],
    ['/srv/src', '/w/d', '/srv/src', [['a/b', '.', '/srv/src/a/b']]],
    ['/srv/src/', '/w/d', '/srv/src/', [['a/b', '.', '/srv/src/a/b']]],
    ['/srv/a.txt', '/w/d', '/srv/a.txt', [['a.txt', 'a.txt', '/srv/a.txt']]],
    [
      'link/../x',
      '/w/d',
      '/real/x',
      [
        ['a', '.', 'link/../x/a'],
        ['x', 'x', 'link/../x'],
      ],
    ],
  ])('%s starts in %s with the path %s', (typed, workingDirectory, path, shown) => {
    const place = searchBaseOf(typed, '/w/d', real);
    expect({ workingDirectory: place.workingDirectory, path: place.path }).toEqual({ workingDirectory, path });
    for (const [eventPath, answerPath, text] of shown) expect(place.shown(eventPath, answerPath)).toBe(text);
  });
});

describe('matches on a terminal', () => {
  const look = (changes: Partial<Look> = {}): Look => ({
    paint: PLAIN,
    terminal: true,
    context: false,
    shownPath: (path) => path,
    pieces: (line) => [line],
    ...changes,
  });
  const lines = (events: readonly ContentSearchEvent[], changes?: Partial<Look>) => [...renderEvents(events, look(changes))];

  it('stand under the name of their file, with line numbers', () => {
    expect(lines([event('a', 1, 'x'), event('a', 9, 'y'), event('b', 2, 'z')])).toEqual(['a', '1:x', '9:y', '', 'b', '2:z']);
  });

  it('mark context lines, and gaps where there is context', () => {
    const events = [event('a', 1, 'x'), event('a', 2, 'y', 'context'), event('a', 8, 'z'), event('b', 9, 'w')];
    expect(lines(events, { context: true })).toEqual(['a', '1:x', '2-y', '--', '8:z', '', 'b', '9:w']);
    expect(lines(events, { context: true, terminal: false })).toEqual(['a:1:x', 'a-2-y', '--', 'a:8:z', '--', 'b:9:w']);
  });

  it('are coloured: path, line number, and the text itself where it can be found', () => {
    expect(lines([event('a', 1, 'one x one X')], { paint: COLOURED, pieces: literalPieces({ pattern: 'x', fixed_strings: true }) })).toEqual([
      '\u001b[35ma\u001b[0m',
      '\u001b[32m1\u001b[0m:one \u001b[1;31mx\u001b[0m one \u001b[1;31mX\u001b[0m',
    ]);
  });

  it('hold no control character of a name or a line, and no change of direction', () => {
    const [name, line] = lines([event('a\u001b]0;owned\u0007\n', 1, '\u001b[2Jx\r\u009b\u202e\ty\u2028')]);
    expect(name).toBe('a\\u001b]0;owned\\u0007\\u000a');
    expect(line).toBe('1:\\u001b[2Jx\\u000d\\u009b\\u202e\ty\\u2028');
    expect(printableLine('é 日本 👩‍👩‍👧')).toBe('é 日本 👩‍👩‍👧');
  });

  it('are lines as they are elsewhere, under names that hold no control character', () => {
    expect(lines([event('a\nb', 1, '\u001b[1mx')], { terminal: false })).toEqual(['a\\u000ab:1:\u001b[1mx']);
  });
});

describe('the text that a pattern stands for', () => {
  it.each<[ContentSearchRequest, string, readonly string[]]>([
    [{ pattern: 'ab' }, 'xAbx', ['x', 'Ab', 'x']],
    [{ pattern: 'Ab' }, 'ab Ab', ['ab ', 'Ab', '']],
    [{ pattern: 'ab', case: 'sensitive' }, 'Ab ab', ['Ab ', 'ab', '']],
    [{ pattern: 'AB', case: 'insensitive' }, 'ab', ['', 'ab', '']],
    [{ pattern: 'a.b', fixed_strings: true }, 'a.b axb', ['', 'a.b', ' axb']],
    [{ pattern: 'a.b' }, 'a.b', ['a.b']],
    [{ pattern: 'ab', fuzzy: 1 }, 'ab', ['ab']],
    [{ pattern: '(a)+$^[]{}|?*\\', fixed_strings: true }, 'x(a)+$^[]{}|?*\\y', ['x', '(a)+$^[]{}|?*\\', 'y']],
  ])('%o in %j is %j', (request, line, pieces) => {
    expect(literalPieces(request)(line)).toEqual(pieces);
  });
});
