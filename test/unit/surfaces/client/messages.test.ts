import { describe, expect, it } from 'vitest';
import { WritConnectionError } from '../../../../src/surfaces/client/errors.ts';
import { client, json, lost, problem, server, serveScripts } from './scripted-server.ts';

serveScripts();

describe('messages', () => {
  const receipt = { job: 'j1', keys: ['k1'] };
  const report = { ...receipt, counts: { inserted: 1, updated: 0, deleted: 0, unchanged: 0, refused: 0 }, ids: [7], refusals: [] };

  it('are searched page by page, and again after a lost connection', async () => {
    const found = (id: number) => ({ doc_kind: 'message', id, title: 't', body: 'b', redacted: false });
    server.script = [lost, json(200, { results: [found(1), found(2)], next_cursor: 'c1' }), json(200, { results: [found(3)] })];
    const all: number[] = [];
    for await (const { id } of client().messages.searchAll({ text: 'plan', limit: 2 })) all.push(id);
    expect(all).toEqual([1, 2, 3]);
    expect(server.came.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
      ['POST', '/v1/messages/search', { text: 'plan', limit: 2 }],
      ['POST', '/v1/messages/search', { text: 'plan', limit: 2 }],
      ['POST', '/v1/messages/search', { text: 'plan', limit: 2, cursor: 'c1' }],
    ]);
  });

  it('are found page by page, and a page whose time ran out is asked for again', async () => {
    const found = (id: number) => ({ doc_kind: 'message', id, title: 't', body: 'b', redacted: false });
    const late = { results: [], guidance: { summary: 'Nothing could be searched.' }, diagnostics: { degraded: true, budget_exhausted: true } };
    server.script = [
      json(200, late),
      json(200, { results: [found(1)], next_cursor: 'c1' }),
      json(200, { ...late, next_cursor: 'c1' }),
      json(200, { ...late, next_cursor: 'c1' }),
      json(200, { results: [found(2)] }),
    ];
    const all: number[] = [];
    for await (const { id } of client().messages.searchAll({ text: 'plan' })) all.push(id);
    expect(all).toEqual([1, 2]);
    server.script = [json(200, late), json(200, late), json(200, late)];
    await expect(client().messages.searchAll({ text: 'plan' }).next()).rejects.toThrow(WritConnectionError);
  });

  it('are sent with keys, so that a second try stores nothing twice', async () => {
    server.script = [lost, json(200, report)];
    const sent = await client().messages.ingest(
      [
        { op: 'message', project: 'web', subject: 'a' },
        { op: 'message', project: 'web', key: 'mine' },
      ],
      { wait: 5 },
    );
    expect(sent).toEqual({ stored: true, report });
    const [first, second] = server.came.map(({ body }) => body);
    expect(second).toBe(first);
    expect(JSON.parse(first ?? '').ops).toMatchObject([{ key: expect.stringMatching(/^client:/) }, { key: 'mine' }]);
    expect(server.came.at(-1)?.headers['prefer']).toBe('wait=5');
  });

  it('are deleted and indexed anew, and what the server refuses is its code', async () => {
    server.script = [json(202, receipt), json(202, receipt), problem(403, 'FORBIDDEN')];
    expect(await client().messages.delete(7)).toEqual({ stored: false, receipt });
    expect(await client().messages.rebuild()).toEqual({ stored: false, receipt });
    await expect(client().messages.rebuild()).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect(server.came.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'DELETE /v1/messages/7',
      'POST /v1/messages/rebuild',
      'POST /v1/messages/rebuild',
    ]);
  });
});
