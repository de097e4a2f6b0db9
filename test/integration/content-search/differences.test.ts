import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContentSearchRequest } from '../../../src/contracts/index.ts';
import type { BackendKind, SearchBackend } from '../../../src/core/ports/index.ts';
import { type RigOptions, realBackends, searching, temporaryDirectory } from '../../support/content/rig.ts';

let backends: Readonly<Record<BackendKind, SearchBackend>>;
let root: string;

beforeAll(async () => {
  backends = await realBackends();
  root = temporaryDirectory('content-differences');
});
afterAll(() => rmSync(root, { recursive: true }));

/** What both backends are left to, each in its own way: lines that match, or the code of a refusal. docs/search-backends.md lists the same. */
const DIFFERENCES: readonly {
  readonly what: string;
  readonly file: string | Buffer;
  readonly request: ContentSearchRequest;
  readonly ugrep: readonly number[] | string;
  readonly rg: readonly number[] | string;
}[] = [
  { what: 'case of letters beyond ASCII', file: 'É\né\nſ\n\u212a\n', request: { pattern: 'é|s|k', case: 'insensitive' }, ugrep: [2], rg: [1, 2, 3, 4] },
  { what: 'whole words beside letters beyond ASCII', file: 'fooé\nfoo\n', request: { pattern: 'foo', word_regexp: true }, ugrep: [1, 2], rg: [2] },
  {
    ...{ what: 'whole words beside bytes that are no character', file: Buffer.from('foo\xe9\nfoo\n', 'latin1') },
    ...{ request: { pattern: 'foo', word_regexp: true }, ugrep: [1, 2], rg: [2] },
  },
  { what: 'anchors of whole words', file: 'foo\n', request: { pattern: '^foo', word_regexp: true }, ugrep: 'BadArgs', rg: [1] },
  { what: 'whole words behind a border of words', file: 'foo\nbar foo\n', request: { pattern: '\\bfoo', word_regexp: true }, ugrep: [], rg: [1, 2] },
  {
    ...{ what: 'alternatives of whole words behind a border of words', file: 'foo\nbar\n' },
    ...{ request: { pattern: '(?:\\bfoo|bar)', word_regexp: true }, ugrep: [2], rg: [1, 2] },
  },
  { what: 'a character that is no byte', file: 'é\nab\n', request: { pattern: '^..$' }, ugrep: [1, 2], rg: [2] },
  { what: 'bytes that are no character', file: Buffer.from('\xff\n', 'latin1'), request: { pattern: '.' }, ugrep: [1], rg: [] },
  { what: 'the end of a line that ends in CRLF', file: 'foo\r\n', request: { pattern: 'foo$' }, ugrep: [1], rg: [] },
  { what: 'UTF-32', file: Buffer.from('\ufeff\0f\0o\0', 'utf16le'), request: { pattern: 'fo', fixed_strings: true }, ugrep: [1], rg: [] },
  { what: 'look-around', file: 'ab\n', request: { pattern: '(?=ab)a' }, ugrep: [], rg: 'BadArgs' },
];

async function linesOf(backend: SearchBackend, name: string, request: ContentSearchRequest): Promise<readonly number[] | string> {
  const rig: RigOptions = { root, backend };
  const outcome = await searching(rig, { ...request, path: name });
  return outcome.ok ? outcome.answer.matches.map(({ data }) => data.line_number) : outcome.error.code;
}

describe('where the backends differ', () => {
  it.each(DIFFERENCES.map((one, index) => ({ ...one, name: `file-${index}` })))(
    'ugrep and ripgrep have their own answers for $what',
    async ({ name, file, request, ugrep, rg }) => {
      writeFileSync(path.join(root, name), file);
      expect({ ugrep: await linesOf(backends.ugrep, name, request), rg: await linesOf(backends.rg, name, request) }).toEqual({ ugrep, rg });
    },
  );
});

describe('a carriage return in the pattern', () => {
  const file = 'zq one\nabc\nzq\r\rzz\nz.q\rzz\nZQ\rZZ\n\r\r\n\\\rzz\n';
  it.each<readonly [ContentSearchRequest, readonly number[]]>([
    [{ pattern: 'q\r', fixed_strings: true }, [3, 4]],
    [{ pattern: 'q\rzz', fixed_strings: true }, [4]],
    [{ pattern: 'z.q\rzz', fixed_strings: true }, [4]],
    [{ pattern: '\rzz', fixed_strings: true }, [3, 4, 7]],
    [{ pattern: '\r\r', fixed_strings: true }, [3, 6]],
    [{ pattern: '\\\r', fixed_strings: true }, [7]],
    [{ pattern: 'q\rzz', fixed_strings: true, case: 'insensitive' }, [4, 5]],
    [{ pattern: 'q\rzz', fixed_strings: true, word_regexp: true }, [4]],
    [{ pattern: 'q\r' }, [3, 4]],
    [{ pattern: '[q\r]z' }, [3, 4, 7]],
    [{ pattern: '\\\\\r' }, [7]],
    [{ pattern: 'q\r(z|\r)' }, [3, 4]],
    [{ pattern: 'zq\r' }, [3]],
    [{ pattern: '\r+zz' }, [3, 4, 7]],
  ])('%j is itself for both', async (asked, lines) => {
    const request = { case: 'sensitive' as const, ...asked };
    writeFileSync(path.join(root, 'returns'), file);
    expect({ ugrep: await linesOf(backends.ugrep, 'returns', request), rg: await linesOf(backends.rg, 'returns', request) }).toEqual({
      ugrep: lines,
      rg: lines,
    });
  });

  it('is itself in what only ugrep quotes', async () => {
    writeFileSync(path.join(root, 'quoted'), 'a.b\rc\na\nb\n');
    expect(await linesOf(backends.ugrep, 'quoted', { pattern: '\\Qa.b\rc\\E' })).toEqual([1]);
    expect(await linesOf(backends.ugrep, 'quoted', { pattern: 'a\\.b\\\rc' })).toEqual([1]);
  });
});
