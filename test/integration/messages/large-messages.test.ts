import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFts5Engine } from '../../../src/messages/engines/fts5/engine.ts';
import { engineRequestOf } from '../../../src/messages/search/planner.ts';
import { normalQuery } from '../../../src/messages/search/query.ts';
import { createMessageSearch } from '../../../src/messages/serving/message-search.ts';
import { createMessagesReader } from '../../../src/messages/store/reader.ts';
import { toolQueryOf } from '../../../src/surfaces/shared/messages/tool-query.ts';
import { mailboxFile } from '../../support/mailbox.ts';
import { BOX } from '../../support/mailbox-small.ts';

const LARGE = `elephantine ${'a'.repeat(200_000)}`;

describe('a search for large messages', () => {
  let mailbox: ReturnType<typeof mailboxFile>;
  let search: ReturnType<typeof createMessageSearch>;
  beforeAll(() => {
    const [mail = undefined] = BOX.mails;
    if (mail === undefined) throw new Error('the small mailbox is empty');
    mailbox = mailboxFile({ ...BOX, mails: Array.from({ length: 12 }, (_, at) => ({ ...mail, id: at + 1, body: LARGE })) });
    search = createMessageSearch({ file: mailbox.file });
  });
  afterAll(async () => {
    await search.stop();
    mailbox.remove();
  });

  it('brings no bodies where nobody looks at them, over all pages', async () => {
    const query = { text: 'elephantine', bodies: false, limit: 5 };
    const first = await search.search(query, null);
    const second = await search.search({ ...query, cursor: first.next_cursor ?? '' }, null);
    expect([first, second].map(({ results }) => results.map(({ body }) => body))).toEqual([Array(5).fill(''), Array(5).fill('')]);
    expect((await search.search({ ...query, bodies: true }, null)).results.map(({ id }) => id)).toEqual(first.results.map(({ id }) => id));
    expect((await search.search({ text: 'elephantine', limit: 1 }, null)).results[0]?.body).toBe(LARGE);
  });

  it('makes snippets of bodies that it does not bring', async () => {
    const { results } = await search.search({ text: 'elephantine', bodies: false, snippets: true, limit: 2 }, null);
    expect(results).toEqual([
      expect.objectContaining({ body: '', snippet: expect.anything() }),
      expect.objectContaining({ body: '', snippet: expect.anything() }),
    ]);
  });

  it('does not even read them', () => {
    const reader = createMessagesReader(mailbox.file);
    const match = { by: 'words', expression: 'elephantine', text: 'elephantine' } as const;
    const request = engineRequestOf(normalQuery({ text: 'elephantine', bodies: false }), null, match, 0);
    const engine = createFts5Engine(reader.database);
    expect(engine.rows({ ...request, ids: [1, 2] })).toMatchObject({ ok: true, value: [{ body: '' }, { body: '' }] });
    expect(engine.find({ ...request, after: null, list: 0, limit: 2 })).toMatchObject({ ok: true, value: { rows: [{ body: '' }, { body: '' }] } });
    reader.close();
  });

  it('is asked without bodies by the tools of MCP', () => {
    expect(toolQueryOf({ project_key: 'web', query: 'elephantine' })).toMatchObject({ bodies: false });
  });
});
