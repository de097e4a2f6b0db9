import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageSearchEvent } from '../../../src/core/ports/message-search.ts';
import { createMessageSearch } from '../../../src/messages/serving/message-search.ts';
import { mailboxFile } from '../../support/mailbox.ts';
import { BOX } from '../../support/mailbox-small.ts';

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
});
