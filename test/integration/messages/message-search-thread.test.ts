import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SearchResponse } from '../../../src/contracts/index.ts';
import type { MessageSearchEvent } from '../../../src/core/ports/message-search.ts';
import { createMessageSearch } from '../../../src/messages/serving/message-search.ts';
import { mailboxFile } from '../../support/mailbox.ts';

const MAIL = { project_id: 1, sender_id: 1, thread_id: 'br-42', importance: 'high', ack: true, recipients: [{ agent_id: 2, kind: 'to' }] } as const;
const box = {
  projects: [{ id: 1, slug: 'app', key: '/srv/app' }],
  products: [{ id: 7, name: 'Suite', project_ids: [1] }],
  agents: [
    { id: 1, project_id: 1, name: 'BlueLake', task: 'plans builds', policy: 'auto' },
    { id: 2, project_id: 1, name: 'RedFox', task: '', policy: 'auto' },
  ],
  links: [],
  mails: [
    { ...MAIL, id: 1, subject: 'Build plan', body: 'The *first* draft', created_ts: 1_700_000_000_000_000 },
    { ...MAIL, id: 2, subject: 'Lunch', body: 'No plan yet', created_ts: 1_700_000_000_000_001 },
  ],
};

describe('message search in its thread', () => {
  const events: MessageSearchEvent[] = [];
  let mailbox: ReturnType<typeof mailboxFile>;
  let search: ReturnType<typeof createMessageSearch>;

  beforeAll(() => {
    mailbox = mailboxFile(box);
    search = createMessageSearch({ file: mailbox.file, onEvent: (event) => events.push(event) });
  });
  afterAll(async () => {
    await search.stop();
    mailbox.remove();
  });

  it('answers with messages, best first, in the form of the contract', { tags: ['MS-005', 'MS-152'] }, async () => {
    const answer = await search.search({ text: 'plan', explain: true }, null);
    expect(SearchResponse.parse(answer)).toEqual(answer);
    expect(
      answer.results.map(({ id, title, body, score, thread_id, from_agent, importance, ack_required }) => [
        id,
        title,
        body,
        score,
        thread_id,
        from_agent,
        importance,
        ack_required,
      ]),
    ).toEqual([
      [1, 'Build plan', 'The *first* draft', 1, 'br-42', 'BlueLake', 'high', true],
      [2, 'Lunch', 'No plan yet', 0, 'br-42', 'BlueLake', 'high', true],
    ]);
    expect(answer.explain).toMatchObject({
      method: 'fts5',
      engine: 'fts5',
      normalized_query: 'plan',
      matched_count: 2,
      timing: { total_us: expect.any(Number), lexical_us: expect.any(Number) },
    });
    expect(events.map(({ event }) => event)).toContain('search.done');
  });

  it('finds projects and products by their names, keys and ids', async () => {
    for (const key of ['app', '/srv/app', '1']) expect(await search.project(key, null)).toEqual({ ok: true, value: { id: 1, name: 'app' } });
    expect(await search.project('web', null)).toEqual({ ok: true, value: undefined });
    const suite = { ok: true, value: { id: 7, name: 'Suite', project_ids: [1] } };
    expect([
      await search.product('uid-7', null),
      await search.product('Suite', null),
      await search.product('7', null),
      await search.product('x', null),
    ]).toEqual([suite, suite, suite, { ok: true, value: undefined }]);
  });

  it('says so, and finds nothing, while there is no database', { tags: ['MS-154', 'MS-157'] }, async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-no-mail-'));
    const none = createMessageSearch({ file: path.join(directory, 'messages.sqlite') });
    const answer = await none.search({ text: 'plan', explain: true }, null);
    expect(answer).toMatchObject({ results: [], diagnostics: { degraded: true, fallback_mode: 'search_index_not_ready', search_index_state: 'not_ready' } });
    // Once: its tables are not there either.
    expect(answer.explain?.notes?.filter((note) => note.includes('index_not_ready'))).toHaveLength(1);
    const looked = await none.project('app', null);
    expect(looked).toMatchObject({ ok: false, error: { kind: 'index_not_ready' } });
    if (!looked.ok) expect((await none.errorResponse({ text: 'plan' }, looked.error)).diagnostics).toEqual(answer.diagnostics);
    await none.stop();
    rmSync(directory, { recursive: true });
  });

  it('does not take a place for missing because the database is damaged', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'writ-bad-mail-'));
    const file = path.join(directory, 'messages.sqlite');
    writeFileSync(file, 'no database at all, for some hundred bytes of it. '.repeat(100));
    const broken = createMessageSearch({ file });
    for (const looked of [await broken.project('app', null), await broken.product('suite', null)]) expect(looked.ok).toBe(false);
    await broken.stop();
    const hasty = createMessageSearch({ file: mailbox.file, timeoutMs: 0 });
    expect(await hasty.product('Suite', null)).toMatchObject({ ok: false, error: { kind: 'engine_error' } });
    await hasty.stop();
    rmSync(directory, { recursive: true });
  });

  it('answers, degraded, a search whose thread is ended for its slowness, and the next one well', { tags: ['MS-157'] }, async () => {
    const hasty = createMessageSearch({ file: mailbox.file, timeoutMs: 0 });
    const answer = await hasty.search({ text: 'plan', explain: true }, null);
    expect(answer).toMatchObject({ results: [], diagnostics: { degraded: true, fallback_mode: 'engine_error' } });
    await hasty.stop();
    expect((await search.search({ text: 'plan' }, null)).results).toHaveLength(2);
  });

  it('takes one after the other, and answers at once those for whom too many wait', { tags: ['MS-157'] }, async () => {
    const crowd = createMessageSearch({ file: mailbox.file });
    const answers = await Promise.all(Array.from({ length: 300 }, () => crowd.search({ text: 'plan' }, null)));
    expect(answers.filter(({ results }) => results.length === 2)).toHaveLength(256);
    expect(answers.filter(({ diagnostics }) => diagnostics?.degraded === true)).toHaveLength(44);
    await crowd.stop();
  });

  it('answers after it was stopped, with the reason', async () => {
    const stopped = createMessageSearch({ file: mailbox.file });
    await stopped.stop();
    expect(await stopped.search({ text: 'plan' }, null)).toMatchObject({ results: [], diagnostics: { degraded: true } });
  });
});
