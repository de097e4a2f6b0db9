import { describe, expect, it } from 'vitest';
import { matchHere } from '../../../../src/content-search/run/match-here.ts';
import type { RunEvent } from '../../../../src/content-search/search/types.ts';
import type { BackendQuery, CaseFolding } from '../../../../src/core/ports/index.ts';
import { allOf } from '../../../support/content/match-here.ts';

const QUERY: BackendQuery = { pattern: 'needle', fixedStrings: true, wordRegexp: false, ignoreCase: false, context: 0, fuzzy: 0, maxCount: 100 };

interface Asked extends Partial<BackendQuery> {
  readonly folding?: CaseFolding;
}

function look(contents: readonly (string | Buffer)[], { folding = 'UNICODE_SIMPLE', ...query }: Asked = {}) {
  const cut: RunEvent[] = [];
  const asked: number[] = [];
  const read = (candidate: { readonly text: string }, maxBytes: number): Buffer | undefined => {
    asked.push(maxBytes);
    const bytes = Buffer.from(contents[Number(candidate.text.slice(1))] ?? '');
    return bytes.length > maxBytes ? undefined : bytes;
  };
  const files = contents.map((_, at) => ({ text: `f${at}`, raw: undefined }));
  const found = allOf(matchHere({ first: 7, files }, { backend: { folding }, query: { ...QUERY, ...query }, read, onCut: (event) => cut.push(event) }));
  return {
    events: found.events.map(({ file, type, line, text }) => `${file}${type === 'match' ? ':' : '-'}${line} ${text}`),
    rest: found.rest.map(({ text }) => text),
    slices: found.slices.map(({ looked, events }) => [looked, events.length]),
    cut,
    asked,
  };
}

describe('a search in this process', () => {
  it('has the lines of plain files, by the number of the candidate', () => {
    const { events, rest } = look(['a needle\r\nb\nneedle needle\n', 'nothing', '', 'an é needle']);
    expect(events).toEqual(['7:1 a needle', '7:3 needle needle', '10:1 an é needle']);
    expect(rest).toEqual([]);
  });

  it('has lines of context around matches, each once', () => {
    const lines = 'a\nneedle\nb\nc\nd\nneedle\nneedle\ne\n\nf';
    expect(look([lines], { context: 1 }).events.join()).toBe('7-1 a,7:2 needle,7-3 b,7-5 d,7:6 needle,7:7 needle,7-8 e');
    expect(look([lines], { context: 2 }).events).toHaveLength(9);
    expect(look([lines], { context: 9 }).events).toHaveLength(10);
    expect(look(['needle\n'], { context: 3 }).events).toEqual(['7:1 needle']);
  });

  it('ends a file with its last wanted match', () => {
    expect(look(['needle\n'.repeat(9)], { maxCount: 2 }).events).toEqual(['7:1 needle', '7:2 needle']);
  });

  it('takes case as the backend folds it, in bytes of UTF-8', () => {
    const files = ['SINK', 'sin\u212a', '\u017fink', 'sine'];
    expect(look(files, { pattern: 'sink' }).events).toEqual([]);
    expect(look(files, { pattern: 'sink', ignoreCase: true })).toMatchObject({ events: ['7:1 SINK'], rest: ['f1', 'f2'] });
    expect(look(files, { pattern: 'INE', ignoreCase: true })).toMatchObject({ events: ['10:1 sine'], rest: [] });
    expect(look(files, { pattern: 'sink', ignoreCase: true, folding: 'ASCII' }).events).toEqual(['7:1 SINK']);
    expect(look(['a.b', 'axb'], { pattern: 'A.B', ignoreCase: true }).events).toEqual(['7:1 a.b']);
    expect(look(['[-]^$'], { pattern: '[-]^$', ignoreCase: true }).events).toHaveLength(1);
  });

  it('asks no backend about a sign that the text cannot be spelt with', () => {
    const sign = Buffer.from('\u017f');
    const binary = Buffer.concat([Buffer.of(0x4d, 0x5a, 0x00, 0xff), sign, Buffer.from('in'), sign, Buffer.of(0x4b, 0xe2, 0x84)]);
    expect(look(['the \u017fun, the sin\u212a of it', 'a sin\u212a', binary], { pattern: 'sinks', ignoreCase: true })).toMatchObject({ events: [], rest: [] });
    // Each letter as it is or by its sign, in either case.
    const spelt = ['\u017fIN\u212a\u017f', 'sin\u212aS', 'x\u017fink\u017f', Buffer.concat([binary, Buffer.from('K'), sign])];
    expect(look(spelt, { pattern: 'sinks', ignoreCase: true })).toMatchObject({ events: [], rest: ['f0', 'f1', 'f2'] });
  });

  it.each([
    ['an expression', { pattern: 'nee.le', fixedStrings: false }],
    ['a search for words', { wordRegexp: true }],
    ['an approximate search', { fuzzy: 1 }],
    ['a letter beyond ASCII without case', { pattern: 'é', ignoreCase: true }],
    ['a backend of which nobody knows how it folds', { folding: 'UNKNOWN' as const }],
    ['a line break in the pattern', { pattern: 'a\rb' }],
  ])('leaves all files to the backend for %s', (_, query) => {
    expect(look(['a needle', 'é', 'a\rb'], query)).toMatchObject({ events: [], rest: ['f0', 'f1', 'f2'], asked: [] });
  });

  it.each([
    ['a mark of UTF-8', Buffer.from('\ufeffneedle')],
    ['a NUL', Buffer.from('needle\0')],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from('needle'), Buffer.of(0xff)])],
    ['a mark of UTF-16', Buffer.from('\ufeffneedle', 'utf16le')],
    ['a mark of UTF-16 of the big end', Buffer.from('\ufeffneedle', 'utf16le').swap16()],
    ['a mark of UTF-32 of the big end', Buffer.of(0, 0, 0xfe, 0xff, 0, 0, 0, 0x6e)],
    ['more bytes than are read here', Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(1_100_000, 0x61)])],
  ])('leaves a file with %s to the backend, and has the others', (_, odd) => {
    const { events, rest } = look(['needle', odd, 'needle']);
    expect(events).toEqual(['7:1 needle', '9:1 needle']);
    expect(rest).toEqual(['f1']);
  });

  it('has nothing of a file without the text that no backend decodes, whatever else is in it', () => {
    expect(look([Buffer.from('\ufeffabc'), Buffer.of(0x61, 0xff, 0), Buffer.from('abc\0')])).toMatchObject({ events: [], rest: [] });
  });

  it('reads no more than eight megabytes', () => {
    const { rest } = look(Array.from({ length: 12 }, () => Buffer.alloc(1_000_000, 0x61)));
    expect(rest).toEqual(['f8', 'f9', 'f10', 'f11']);
  });

  it('comes in slices by bytes and by events, so that it can be ended between two', () => {
    const bytes = look(Array.from({ length: 8 }, () => Buffer.alloc(200_000, 0x61)));
    expect(bytes.slices).toEqual([
      [2, 0],
      [4, 0],
      [6, 0],
      [8, 0],
    ]);
    const events = look(['needle\n'.repeat(2_500), 'needle'], { maxCount: 10_000 });
    expect(events.slices).toEqual([
      [0, 1_024],
      [0, 1_024],
      [2, 453],
    ]);
    expect(look(['a', 'b']).slices).toEqual([[2, 0]]);
  });

  it('cuts a line at 64 KiB, and says so', () => {
    const { events, cut } = look([`needle${'é'.repeat(50_000)}`]);
    expect(events[0]?.length).toBe('7:1 needle'.length + 32_765);
    expect(cut).toHaveLength(1);
  });
});
