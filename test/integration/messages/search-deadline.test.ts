import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchQuery } from '../../../src/contracts/index.ts';
import type { MessageSearchEvent, SearchViewer } from '../../../src/core/ports/message-search.ts';
import { createFts5Engine } from '../../../src/messages/engines/fts5/engine.ts';
import { createMessageSearch } from '../../../src/messages/serving/message-search.ts';
import { createMessagesReader } from '../../../src/messages/store/reader.ts';
import { mailboxFile } from '../../support/mailbox.ts';
import { BOX } from '../../support/mailbox-small.ts';
import { searchOver } from '../../support/search-service.ts';

/** Letters of one long mail, and a substring of it that almost fits at every place: SQLite compares it there to its end. */
const LONG = 'a'.repeat(2_000_000);
const ENDLESS = { text: `"${'a'.repeat(16_000)}b` };

describe('a search for words that takes too long', () => {
  let mailbox: ReturnType<typeof mailboxFile>;

  beforeAll(() => {
    mailbox = mailboxFile({
      ...BOX,
      mails: [...BOX.mails, ...[9001, 9002, 9003].map((id) => ({ ...(BOX.mails[0] as (typeof BOX.mails)[0]), id, body: LONG }))],
    });
  });
  afterAll(() => mailbox.remove());

  it('is ended with its process in the midst of native code, and answered with the reason', { tags: ['MS-157'] }, async () => {
    const search = createMessageSearch({ file: mailbox.file, deadlineMs: 50 });
    const answer = await search.search({ ...ENDLESS, explain: true }, null);
    expect(answer).toMatchObject({
      results: [],
      diagnostics: { degraded: true, fallback_mode: 'budget_exhausted', timeout_stage: 'lexical', budget_exhausted: true },
    });
    await search.stop();
  });

  it('tells the time until it was ended as its time, not that of the answer about it', { tags: ['MS-101'] }, async () => {
    const done: MessageSearchEvent[] = [];
    const search = createMessageSearch({ file: mailbox.file, deadlineMs: 50, onEvent: (event) => void done.push(event) });
    const { explain } = await search.search({ ...ENDLESS, explain: true }, null);
    expect(explain?.timing?.total_us).toBeGreaterThanOrEqual(50_000);
    expect(done).toContainEqual(expect.objectContaining({ event: 'search.done', total_us: explain?.timing?.total_us }));
    await search.stop();
  });

  it('holds up no other search meanwhile', async () => {
    const search = createMessageSearch({ file: mailbox.file, deadlineMs: 600_000, processes: 2 });
    const ended: string[] = [];
    const endless = search.search(ENDLESS, null).then(() => ended.push('endless'));
    const { results } = await search.search({ text: 'plan' }, null);
    ended.push('plan');
    expect({ found: results.length > 0, ended }).toEqual({ found: true, ended: ['plan'] });
    await search.stop();
    await endless;
  });

  it('ends the FTS5 of a search that needs vectors too', async () => {
    const directory = `${mailbox.file}.vectors`;
    const search = createMessageSearch({ file: mailbox.file, vectors: { directory, model: '', reranker: '' }, deadlineMs: 50 });
    const answer = await search.search({ ...ENDLESS, mode: 'hybrid', explain: true }, null);
    expect(answer).toMatchObject({ results: [], diagnostics: { degraded: true, budget_exhausted: true } });
    await search.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each([
    ['with its process', {}, {}],
    ['with the FTS5 of a search by vectors', { mode: 'hybrid' }, { vectors: { model: '', reranker: '' } }],
  ] as const)(
    'keeps its place when it is ended %s: the page is to be asked for again',
    { tags: ['MS-081'] },
    async (_, asked, { vectors }: { readonly vectors?: { model: string; reranker: string } }) => {
      const directory = `${mailbox.file}.vectors`;
      const search = createMessageSearch({ file: mailbox.file, deadlineMs: 50, ...(vectors && { vectors: { ...vectors, directory } }) });
      const viewer = { project_id: 1, agent_id: 1 };
      for (const reader of [null, viewer]) {
        const { next_cursor: cursor } = await generous(mailbox.file, { text: 'plan', limit: 1 }, reader);
        expect(cursor).toBeDefined();
        const answer = await search.search({ ...ENDLESS, ...asked, cursor }, reader);
        expect(answer).toMatchObject({ results: [], next_cursor: cursor, diagnostics: { budget_exhausted: true } });
        const { results } = await generous(mailbox.file, { text: 'plan', limit: 1, cursor }, reader);
        expect(results).toHaveLength(1);
        // A first page has no place to keep; diagnostics tell that it was not searched.
        expect(await search.search({ ...ENDLESS, ...asked }, reader)).not.toHaveProperty('next_cursor');
      }
      await search.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  );
});

/** The answer of a search that has all the time that it wants. */
async function generous(file: string, query: SearchQuery, viewer: SearchViewer) {
  const search = createMessageSearch({ file, deadlineMs: 600_000 });
  const answer = await search.search(query, viewer);
  await search.stop();
  return answer;
}

describe('pages of which every other one runs out of time', () => {
  it.each([
    ['of words', { text: 'plan' }, 5],
    ['newest first', { text: 'plan', ranking: 'recency' }, 5],
    ['of what was looked for instead', { text: 'nowhere plan' }, 5],
  ] as const)('are whole together, for who goes on while there is a cursor: %s', async (_, asked, count) => {
    const { file, remove } = mailboxFile(BOX);
    const reader = createMessagesReader(file);
    const fts5 = createFts5Engine(reader.database);
    let isLate = false;
    const late = { ok: false, error: { kind: 'engine_error', message: 'too slow', stage: 'deadline' } } as const;
    const engine: typeof fts5 = {
      ...fts5,
      find: (request) => (isLate ? late : fts5.find(request)),
      rows: (set) => (isLate ? late : fts5.rows(set)),
      words: (question) => (isLate ? late : fts5.words(question)),
    };
    const search = searchOver(file, { engines: { fts5: engine } });
    const found: number[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      isLate = pages % 2 === 1;
      const answer = await search.search({ ...asked, limit: 1, cursor }, null);
      expect(answer.diagnostics?.budget_exhausted === true).toBe(isLate);
      found.push(...answer.results.map(({ id }) => id));
      cursor = answer.next_cursor;
      pages += 1;
    } while (cursor !== undefined);
    const whole = await search.search({ ...asked, limit: 100 }, null);
    expect(found).toEqual(whole.results.map(({ id }) => id));
    expect(found).toHaveLength(count);
    search.close();
    reader.close();
    remove();
  });
});
