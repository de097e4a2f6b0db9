import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WritApiError, WritClient, type WritClientOptions, WritConnectionError, WritTimeoutError } from '../../../../src/surfaces/client/index.ts';
import { backoffMs, pauseAfter } from '../../../../src/surfaces/client/pause.ts';

type Handler = (request: http.IncomingMessage, reply: http.ServerResponse, body: string) => void;

/** A server that answers each request with the next handler; what came is kept. */
let server: http.Server;
let came: { method: string | undefined; url: string | undefined; headers: http.IncomingHttpHeaders; body: string }[];
let script: Handler[];
beforeEach(async () => {
  came = [];
  script = [];
  server = http.createServer((request, reply) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      came.push({ method: request.method, url: request.url, headers: request.headers, body });
      const next = script.shift();
      if (next) next(request, reply, body);
      else reply.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const client = (changes: Partial<WritClientOptions> = {}) =>
  new WritClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'k', random: () => 0, ...changes });
const json =
  (status: number, value: unknown, headers: http.OutgoingHttpHeaders = {}): Handler =>
  (_request, reply) =>
    void reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
const problem = (status: number, code: string, headers = {}): Handler =>
  json(status, { type: 't', title: 't', status, detail: 'because', code, field: 'f' }, headers);
const lost: Handler = (_request, reply) => void reply.destroy();
const view = (state: string) => ({ task_id: 'a', state });
const manifest = { task_id: 'a', capability_id: 'FILE_COPY' as const, inputs: { source_path: '/a', destination_path: '/b' }, constraints: {} };
const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const none = { lines: 0, accepted: 0, in_flight: 0, retried: 0, finished: 0, rejected: 0 };

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

describe('messages', () => {
  const receipt = { job: 'j1', keys: ['k1'] };
  const report = { ...receipt, counts: { inserted: 1, updated: 0, deleted: 0, unchanged: 0, refused: 0 }, ids: [7], refusals: [] };

  it('are searched page by page, and again after a lost connection', async () => {
    const found = (id: number) => ({ doc_kind: 'message', id, title: 't', body: 'b', redacted: false });
    script = [lost, json(200, { results: [found(1), found(2)], next_cursor: 'c1' }), json(200, { results: [found(3)] })];
    const all: number[] = [];
    for await (const { id } of client().messages.searchAll({ text: 'plan', limit: 2 })) all.push(id);
    expect(all).toEqual([1, 2, 3]);
    expect(came.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
      ['POST', '/v1/messages/search', { text: 'plan', limit: 2 }],
      ['POST', '/v1/messages/search', { text: 'plan', limit: 2 }],
      ['POST', '/v1/messages/search', { text: 'plan', limit: 2, cursor: 'c1' }],
    ]);
  });

  it('are sent with keys, so that a second try stores nothing twice', async () => {
    script = [lost, json(200, report)];
    const sent = await client().messages.ingest(
      [
        { op: 'message', project: 'web', subject: 'a' },
        { op: 'message', project: 'web', key: 'mine' },
      ],
      { wait: 5 },
    );
    expect(sent).toEqual({ stored: true, report });
    const [first, second] = came.map(({ body }) => body);
    expect(second).toBe(first);
    expect(JSON.parse(first ?? '').ops).toMatchObject([{ key: expect.stringMatching(/^client:/) }, { key: 'mine' }]);
    expect(came.at(-1)?.headers['prefer']).toBe('wait=5');
  });

  it('are deleted and indexed anew, and what the server refuses is its code', async () => {
    script = [json(202, receipt), json(202, receipt), problem(403, 'FORBIDDEN')];
    expect(await client().messages.delete(7)).toEqual({ stored: false, receipt });
    expect(await client().messages.rebuild()).toEqual({ stored: false, receipt });
    await expect(client().messages.rebuild()).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect(came.map(({ method, url }) => `${method} ${url}`)).toEqual(['DELETE /v1/messages/7', 'POST /v1/messages/rebuild', 'POST /v1/messages/rebuild']);
  });
});

describe('a request', () => {
  it('carries the key, asked for anew each time, the user agent and the wait', async () => {
    script = [json(200, view('success')), json(200, view('success'))];
    let n = 0;
    const asked = client({ key: async () => `k${++n}`, userAgent: 'mine/1' });
    await asked.tasks.get('a', { wait: 5 });
    await asked.tasks.get('a');
    expect(came.map(({ url, headers }) => [url, headers.authorization, headers['user-agent'], headers['prefer']])).toEqual([
      ['/v1/tasks/a', 'Bearer k1', 'writ-client mine/1', 'wait=5'],
      ['/v1/tasks/a', 'Bearer k2', 'writ-client mine/1', undefined],
    ]);
  });

  it('is repeated after a lost connection, 503 and 429, and sends the same task each time', async () => {
    script = [lost, problem(503, 'REDIS_UNAVAILABLE'), problem(429, 'RATE_LIMITED', { 'retry-after': '0' }), json(202, { task_id: 'a', receipt: 'in_flight' })];
    const pushed = await client().tasks.submit(manifest, { lease: 'l', attempts: 3 });
    expect(pushed).toMatchObject({ ended: false, receipt: { receipt: 'in_flight' } });
    expect(new Set(came.map(({ url, body }) => `${url} ${body}`))).toEqual(new Set([`/v1/tasks?attempts=3 ${JSON.stringify({ manifest, lease: 'l' })}`]));
    expect(came).toHaveLength(4);
  });

  it('is never repeated after another refusal, whose problem is the error', async () => {
    script = [problem(422, 'TASK_ID_CONFLICT')];
    const error = await client()
      .tasks.submit(manifest, {})
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WritApiError);
    expect(error).toMatchObject({ status: 422, code: 'TASK_ID_CONFLICT', detail: 'because', field: 'f', problem: { title: 't' } });
    expect(came).toHaveLength(1);
  });

  it('that another run would do again is never repeated', async () => {
    const asked = client();
    for (const call of [
      () => asked.tasks.retry('a'),
      () => asked.tasks.undo('a'),
      () => asked.tasks.cancel('a'),
      () => asked.leases.issue(manifest),
      () => all(asked.tasks.retryMany({})),
    ]) {
      came = [];
      script = [problem(503, 'KERNEL_UNAVAILABLE')];
      await expect(call()).rejects.toMatchObject({ code: 'KERNEL_UNAVAILABLE' });
      script = [lost];
      await expect(call()).rejects.toBeInstanceOf(WritConnectionError);
      expect(came).toHaveLength(2);
    }
  });

  it('gives up after the retries, and at once when the server wants to be left alone for long', async () => {
    await expect(client({ retries: 1 }).keys()).rejects.toBeInstanceOf(WritConnectionError);
    expect(came).toHaveLength(2);
    script = [problem(429, 'RATE_LIMITED', { 'retry-after': '3600' })];
    await expect(client().keys()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 3_600_000 });
    expect(came).toHaveLength(3);
  });

  it('ends with the reason of its signal, also between two tries', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    script = [
      (_request, reply) => {
        reply.destroy();
        controller.abort(reason);
      },
    ];
    await expect(client().keys({ signal: controller.signal })).rejects.toBe(reason);
    await expect(client().keys({ signal: controller.signal })).rejects.toBe(reason);
    expect(came).toHaveLength(1);
  });

  it('ends when the server says nothing in time', async () => {
    script = [() => undefined];
    await expect(client({ timeoutMs: 50, retries: 0 }).keys()).rejects.toThrow('silent for 50 ms');
  });

  it('does not carry the key along a redirect, and knows an answer that is not ours', async () => {
    script = [(_request, reply) => void reply.writeHead(302, { location: '/elsewhere' }).end()];
    await expect(client({ retries: 0 }).keys()).rejects.toBeInstanceOf(WritConnectionError);
    script = [(_request, reply) => void reply.writeHead(404).end('<html>')];
    await expect(client().keys()).rejects.toMatchObject({ code: 'HTTP_404', status: 404 });
    expect(came.map(({ url }) => url)).toEqual(['/v1/keys', '/v1/keys']);
  });

  it('takes the stats of a content search as they come, also fields that it does not know', { tags: ['FR-LSI-SCHEMA-RESP-02.2'] }, async () => {
    const answer = {
      pattern: 'x',
      path: '.',
      count: 0,
      matches: [],
      truncated: false,
      timed_out: false,
      content: '',
      stats: { stats_version: 1, of_tomorrow: [1] },
    };
    script = [json(200, answer)];
    expect(await client().contentSearch({ pattern: 'x' })).toEqual(answer);
    expect(came).toMatchObject([{ method: 'POST', url: '/v1/search', body: '{"pattern":"x"}' }]);
  });

  it('waits for a result over several rounds, and not longer than it is told', async () => {
    script = [json(200, view('running')), json(200, view('success'))];
    expect(await client().tasks.result('a')).toMatchObject({ state: 'success' });
    expect(came.map(({ headers }) => headers['prefer'])).toEqual(['wait=30', 'wait=30']);
    script = [json(200, view('running')), json(200, view('running'))];
    await expect(client().tasks.result('a', { timeoutMs: 0 })).rejects.toBeInstanceOf(WritTimeoutError);
  });

  it('fetches the pages of a list as they are taken', async () => {
    script = [json(200, { tasks: [{ task_id: '1' }], next: 'c+/=' }), json(200, { tasks: [{ task_id: '2' }] })];
    const found = client().tasks.list({ state: 'failure', path: '/a b' }, { pageSize: 1 });
    expect((await found.next()).value).toMatchObject({ task_id: '1' });
    expect(came).toHaveLength(1);
    expect(await all(found)).toMatchObject([{ task_id: '2' }]);
    expect(new URL(came[1]?.url ?? '', 'http://x').searchParams.get('cursor')).toBe('c+/=');
  });

  it('is refused by the constructor for options that cannot be meant', () => {
    for (const bad of [{ baseUrl: 'ftp://x' }, { baseUrl: 'http://u:p@x' }, { baseUrl: 'http://x/?q=1' }, { timeoutMs: 0 }, { retries: -1 }]) {
      expect(() => client(bad)).toThrow(TypeError);
    }
  });
});

describe('pauses', () => {
  it('grow with jitter up to a limit, and are what the server wishes', () => {
    expect([0, 1, 2, 30].map((failures) => backoffMs(failures, () => 0))).toEqual([100, 200, 400, 5000]);
    expect(backoffMs(30, () => 0.999)).toBeLessThanOrEqual(10_000);
    const refused = (status: number, retryAfterMs?: number) => new WritApiError({ type: '', title: '', status, detail: '', code: 'X' }, retryAfterMs);
    expect([429, 503, 400, 401, 403, 404, 409, 422, 500, 504].filter((status) => pauseAfter(refused(status), 0, Math.random) !== undefined)).toEqual([
      429, 503,
    ]);
    expect(pauseAfter(refused(429, 7000), 0, () => 0)).toBe(7000);
    expect(pauseAfter(new TypeError('a bug'), 0, () => 0)).toBeUndefined();
  });
});

describe('a bulk push', () => {
  const tasks = (count: number) => Array.from({ length: count }, (_, index) => ({ manifest: { ...manifest, task_id: `t${index + 1}` }, lease: 'l' }));
  const receipts =
    (count?: number, problemOf?: object): Handler =>
    (_request, reply, body) => {
      const given = body.trimEnd().split('\n').slice(0, count);
      const answers = given.map((line, index) => ({
        line: index + 1,
        task_id: (JSON.parse(line) as { manifest: { task_id: string } }).manifest.task_id,
        receipt: 'accepted',
      }));
      reply.end(lines([...answers, { summary: { ...none, lines: answers.length }, ...problemOf }]));
    };

  it('answers with a receipt per task and the sum, over as many requests as it takes', async () => {
    script = [receipts(), receipts(), receipts()];
    const pushed = client().tasks.submitMany(tasks(5), { batch: { lines: 2 } });
    const seen: [number, string | undefined][] = [];
    let step = await pushed.next();
    for (; step.done !== true; step = await pushed.next()) seen.push([step.value.line, step.value.task_id]);
    expect(seen).toEqual([1, 2, 3, 4, 5].map((n) => [n, `t${n}`]));
    expect(step.value).toEqual({ ...none, lines: 5, accepted: 5 });
  });

  it('sends a batch again whose answer was cut off, and the rest of one that the server stopped', async () => {
    const stopped = { problem: { type: '', title: '', status: 429, detail: '', code: 'REDIS_FULL' } };
    script = [lost, (_request, reply) => void reply.end(lines([{ line: 1, receipt: 'accepted' }])), receipts(1, stopped), receipts()];
    expect((await all(client().tasks.submitMany(tasks(3)))).map(({ line, task_id }) => [line, task_id])).toEqual([
      [1, 't1'],
      [2, 't2'],
      [3, 't3'],
    ]);
    expect(came.map(({ body }) => body.trimEnd().split('\n').length)).toEqual([3, 3, 3, 2]);
  });

  it('takes no task before the receipts of the last were taken, and throws what stops it for good', async () => {
    let given = 0;
    async function* source() {
      for (const task of tasks(4)) {
        given += 1;
        yield task;
      }
    }
    script = [receipts(), receipts(0, { problem: { type: '', title: '', status: 503, detail: '', code: 'REDIS_UNAVAILABLE' } })];
    const pushed = client({ retries: 0 }).tasks.submitMany(source(), { batch: { lines: 2 } });
    await pushed.next();
    await pushed.next();
    expect(given).toBe(2);
    await expect(pushed.next()).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
  });
});

describe('events', () => {
  const stream =
    (text: string, end: 'end' | 'destroy' | 'open'): Handler =>
    (_request, reply) => {
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.write(text, () => end === 'destroy' && reply.destroy());
      if (end === 'end') reply.end();
    };
  const event = (id: number) => `id: ${id}\nevent: task\ndata: ${JSON.stringify({ id, task_id: `t${id}` })}\n\n`;

  it('go on after the last one when the stream ends, breaks, falls silent or is dropped', async () => {
    script = [
      stream(`retry: 1\n\n${event(1)}`, 'end'),
      stream(event(2), 'destroy'),
      stream(`${event(3)}event: dropped\ndata: {}\n\n`, 'end'),
      stream(event(4), 'open'),
      stream(event(5), 'open'),
    ];
    const seen: number[] = [];
    for await (const { id } of client().events({ after: 0, silenceMs: 100 })) {
      seen.push(id);
      if (id === 5) break;
    }
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect(came.map(({ headers }) => headers['last-event-id'])).toEqual(['0', '1', '2', '3', '4']);
  });

  it('end quietly with their signal, and loudly with a refusal', async () => {
    const controller = new AbortController();
    script = [stream(event(1), 'open')];
    const seen: number[] = [];
    for await (const { id } of client().events({ signal: controller.signal })) {
      seen.push(id);
      controller.abort();
    }
    expect(seen).toEqual([1]);
    script = [problem(400, 'INVALID_ARGUMENT')];
    await expect(all(client().events({ after: 1 }))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(all(client({ retries: 1 }).events())).rejects.toBeInstanceOf(WritConnectionError);
  });
});
