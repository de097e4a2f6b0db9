import { afterAll, describe, expect, it } from 'vitest';
import { SearchQuery, SearchResponse, type SearchResult } from '../../../src/contracts/index.ts';
import { mailboxFile } from '../../support/mailbox.ts';
import { randomAsked, randomMailbox } from '../../support/mailbox-random.ts';
import { BOX, T } from '../../support/mailbox-small.ts';
import { createRandom } from '../../support/random.ts';
import { searchOver } from '../../support/search-service.ts';
import { semanticSearchOver } from '../../support/semantic-search.ts';

const LONG = Array.from({ length: 300 }, (_, at) => `filler${at}`).join(' ');
const TEXTS = [
  ['Deploys fail', `${LONG} we deployed the café twice ${LONG}`],
  ['Notes', 'first createMessageSearch, then the rest'],
  ['部署', '今天部署完成了，一切正常'],
  ['Marks', `\u0002 and \u0003 <b>zebra</b> **zebra**\0zebra`],
  ['Blob', `${'x'.repeat(20_000)}needle${'y'.repeat(20_000)}`],
  ['Twins', `${'🐑'.repeat(300)} flock`],
] as const;
const [template] = BOX.mails;
const small = mailboxFile({
  ...BOX,
  mails: TEXTS.flatMap(([subject, body], at) =>
    template === undefined ? [] : [{ ...template, sender_id: 2, recipients: [], id: at + 1, subject, body, created_ts: T + at }],
  ),
});
const search = searchOver(small.file);
afterAll(() => {
  search.close();
  small.remove();
});

/** Title and text as somebody would see them, with brackets around what is marked. */
function shown({ title, snippet }: SearchResult): readonly string[] {
  const marked = (text: string, spans: readonly { start: number; end: number }[]): string =>
    [...spans].reverse().reduce((so, { start, end }) => `${so.slice(0, start)}[${so.slice(start, end)}]${so.slice(end)}`, text);
  return snippet === undefined ? [] : [marked(title, snippet.title_highlights), marked(snippet.text, snippet.highlights)];
}

async function first(query: SearchQuery): Promise<readonly string[]> {
  const [row] = (await search.search({ snippets: true, ...query }, null)).results;
  return row === undefined ? [] : shown(row);
}

describe('snippets', () => {
  it.each([
    ['stems, whatever their accents and case', 'DEPLOY cafe', '[Deploys] fail', /^….* we \[deployed\] the \[café\] twice filler0 .*…$/],
    ['phrases as a whole', '"café twice"', 'Deploys fail', /the \[café twice\] filler0/],
    ['beginnings', 'deplo*', '[Deploys] fail', /\[deployed\]/],
    ['words of a name', 'create message', 'Notes', /^first \[create\]\[Message\]Search/],
    ['a name by its words', 'create message search', 'Notes', /^first \[createMessageSearch\], then/],
    ['scripts without blanks', '部署完', '部署', /^今天\[部署完\]成了/],
    ['no signs that somebody else wrote', 'zebra', 'Marks', /^. and . <b>\[zebra\]<\/b> \*\*\[zebra\]\*\* \[zebra\]$/],
    ['not what must not be there', 'deploy NOT zebra', '[Deploys] fail', /\[deployed\]/],
    ['one of the words where no row has all', 'zebra unheardof', 'Marks', /\[zebra\]/],
    ['parts of words', 'xneedley', 'Blob', /^…x+\[xneedley\]y+…$/],
  ])('mark %s', async (_, text, title, body) => {
    const [heading, part] = await first({ text });
    expect(heading).toBe(title);
    expect(part).toMatch(body);
  });

  it('begin with the body where nothing was looked for, and take no letter apart', async () => {
    const [title, text = ''] = await first({ text: '', sender_name: 'Bob', time_range: { min_ts: T + 5 } });
    expect([title, text.isWellFormed(), text.length <= 402, text.startsWith('🐑🐑')]).toEqual(['Twins', true, true, true]);
    expect((await first({ text: 'flock' }))[1]).toMatch(/\[flock\]$/);
  });

  it('are not there unless they are asked for, nor where a row is redacted', async () => {
    expect((await search.search({ text: 'zebra' }, null)).results[0]).not.toHaveProperty('snippet');
    const query = { text: 'zebra', snippets: true, facets: true, scope: { caller_scoped: { caller_agent: 'Max' } }, redaction: { redact_body: true } };
    const { results, facets } = await search.search(query, null);
    expect(results).toMatchObject([{ redacted: true }]);
    expect(results[0]).not.toHaveProperty('snippet');
    expect(facets).toEqual({ project_id: [], importance: [], from_agent: [] });
  });
});

describe('facet counts', () => {
  it.each(['lexical', 'hybrid'] as const)('are those of all rows that a search finds, in mode %s, and change nothing else', async (mode) => {
    const random = createRandom(11);
    const box = randomMailbox(random, 80);
    const { file, remove } = mailboxFile(box);
    const service = mode === 'hybrid' ? semanticSearchOver(file) : searchOver(file);
    let counted = 0;
    for (let turn = 0; turn < 12; turn += 1) {
      const { query, viewer } = randomAsked(random, box.agents);
      const { min_score: _, redaction: __, ...rest } = query;
      const plain = SearchQuery.parse({ ...rest, mode, limit: 1000 });
      const { facets, ...answer } = await service.search({ ...plain, facets: true, snippets: true }, viewer);
      expect(SearchResponse.safeParse({ facets, ...answer }).success).toBe(true);
      const bare = await service.search(plain, viewer);
      expect({ ...answer, results: answer.results.map(({ snippet: ___, ...row }) => row) }).toEqual(bare);
      for (const { body, title, snippet } of answer.results) {
        const inside = snippet?.text.replace(/^…|…$/gu, '') ?? '';
        expect(snippet !== undefined && body.includes(inside)).toBe(true);
        for (const { start, end } of snippet?.title_highlights ?? []) expect(0 <= start && start < end && end <= title.length).toBe(true);
        for (const { start, end } of snippet?.highlights ?? []) expect(0 <= start && start < end && end <= (snippet?.text.length ?? 0)).toBe(true);
      }
      if (facets === undefined) {
        expect((plain.doc_kind ?? 'message') !== 'message' || answer.results.length === 0).toBe(true);
        continue;
      }
      counted += answer.results.length;
      expect(facets.project_id).toEqual(countsOf(answer.results.map(({ project_id }) => project_id)));
      expect(facets.importance).toEqual(countsOf(answer.results.map(({ importance }) => importance)));
      expect(facets.from_agent).toEqual(countsOf(answer.results.map(({ from_agent }) => from_agent || undefined)));
      const later = await service.search({ ...plain, facets: true, limit: 2 }, viewer);
      expect(later.facets).toEqual(facets);
      if (later.next_cursor !== undefined)
        expect(await service.search({ ...plain, facets: true, cursor: later.next_cursor }, viewer)).not.toHaveProperty('facets');
    }
    expect(counted).toBeGreaterThan(25);
    service.close();
    remove();
  });
});

function countsOf<T extends string | number>(values: readonly (T | undefined)[]): { value: T; count: number }[] {
  const counts = new Map<T, number>();
  for (const value of values) if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, 20);
}
