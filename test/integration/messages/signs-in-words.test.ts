import { afterAll, describe, expect, it } from 'vitest';
import type { SearchQuery } from '../../../src/contracts/index.ts';
import { mailboxFile } from '../../support/mailbox.ts';
import { BOX, T } from '../../support/mailbox-small.ts';
import { searchOver } from '../../support/search-service.ts';

const TEXTS = [
  ['Undo', 'how to undo the work'],
  ['Queue', 'the queue of jobs'],
  ['Redis Cluster', 'hash tags and slots'],
  ['Vectors', 'vectors follow edits'],
  ['Unlike', 'vectors of images, and later edits of Redis'],
  ['Ignored', 'add it to .gitignore, then rm -rf src/ and start with --watch'],
  ['Languages', 'C++ templates vs C# generics, F# too'],
  ['Templates', 'templates of mails, by plan c'],
  ['Calls', 'call f(x) with i++ while a && b, and x -> y'],
] as const;
const [template] = BOX.mails;
const small = mailboxFile({
  ...BOX,
  mails: TEXTS.flatMap(([subject, body], at) => (template === undefined ? [] : [{ ...template, id: at + 1, subject, body, created_ts: T + at }])),
});
const search = searchOver(small.file);
afterAll(() => {
  search.close();
  small.remove();
});

async function found(text: string, query: Partial<SearchQuery> = {}): Promise<{ titles: string[]; by: string | undefined }> {
  const { results, retry } = await search.search({ text, ...query }, null);
  return { titles: results.map(({ title }) => title).toSorted(), by: retry?.by };
}

describe('signs at the edges of words', () => {
  it.each([
    ['undo.', ['Undo']],
    ['undo...', ['Undo']],
    ['Redis Cluster.', ['Redis Cluster']],
    ['vectors follow edits.', ['Vectors']],
    ['vectors -- follow edits.', ['Vectors']],
    ['.gitignore', ['Ignored']],
    ['src/', ['Ignored']],
    ['rm -rf', ['Ignored']],
    ['--watch', ['Ignored']],
  ])('are those of a sentence, or belong to the word: %s', { tags: ['MS-050'] }, async (text, titles) => {
    expect(await found(text, { retry: false })).toEqual({ titles, by: undefined });
  });

  it.each([
    ['queue/', 'any_word', ['Queue']],
    ['-undo', 'any_word', ['Undo']],
    ['./undo', 'any_word', ['Undo']],
    ['Redis Cluster/', 'substrings', ['Redis Cluster']],
    ['-vectors follow -edits', 'substrings', ['Vectors']],
  ])('are left out where nothing has them: %s, by %s', async (text, by, titles) => {
    expect(await found(text)).toEqual({ titles, by });
    expect((await found(text, { retry: false })).titles).toEqual([]);
  });
});

describe('words of single letters and signs', () => {
  it.each([
    ['C++', ['Languages']],
    ['C#', ['Languages']],
    ['(F#)', ['Languages']],
    ['C++ templates', ['Languages']],
    ['f(x)', ['Calls']],
    ['f(x).', ['Calls']],
    ['i++;', ['Calls']],
    ['a && b', ['Calls']],
    ['x -> y', ['Calls']],
  ])('are found as they stand: %s', { tags: ['MS-050'] }, async (text, titles) => {
    expect(await found(text, { retry: false })).toEqual({ titles, by: undefined });
  });

  it.each([
    ['c?', ['Languages', 'Templates']],
    ['(c', ['Languages', 'Templates']],
  ])('without any sign but those of a sentence are words: %s', async (text, titles) => {
    const { results, explain } = await search.search({ text, explain: true }, null);
    expect(results.map(({ title }) => title).toSorted()).toEqual(titles);
    expect(explain).toMatchObject({ method: 'fts5', used_like_fallback: false, matched_count: 2 });
  });

  it('are marked in snippets', async () => {
    const [row] = (await search.search({ text: 'C++ templates', snippets: true }, null)).results;
    expect(row?.snippet?.highlights.map(({ start, end }) => row.snippet?.text.slice(start, end))).toEqual(['C++', 'templates']);
    const [other] = (await search.search({ text: '(rm -rf', snippets: true }, null)).results;
    expect(other?.snippet?.highlights.map(({ start, end }) => other.snippet?.text.slice(start, end))).toEqual(['rm', '-rf']);
  });
});
