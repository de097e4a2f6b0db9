import { describe, expect, it } from 'vitest';
import { WritApiError, WritConnectionError, WritTimeoutError } from '../../../../src/surfaces/client/index.ts';
import { all } from './pieces.ts';
import { client, json, lost, manifest, problem, server, serveScripts, view } from './scripted-server.ts';

serveScripts();

describe('a request', () => {
  it('carries the key, asked for anew each time, the user agent and the wait', async () => {
    server.script = [json(200, view('success')), json(200, view('success'))];
    let n = 0;
    const asked = client({ key: async () => `k${++n}`, userAgent: 'mine/1' });
    await asked.tasks.get('a', { wait: 5 });
    await asked.tasks.get('a');
    expect(server.came.map(({ url, headers }) => [url, headers.authorization, headers['user-agent'], headers['prefer']])).toEqual([
      ['/v1/tasks/a', 'Bearer k1', 'writ-client mine/1', 'wait=5'],
      ['/v1/tasks/a', 'Bearer k2', 'writ-client mine/1', undefined],
    ]);
  });

  it('is repeated after a lost connection, 503 and 429, and sends the same task each time', async () => {
    server.script = [
      lost,
      problem(503, 'REDIS_UNAVAILABLE'),
      problem(429, 'RATE_LIMITED', { 'retry-after': '0' }),
      json(202, { task_id: 'a', receipt: 'in_flight' }),
    ];
    const pushed = await client().tasks.submit(manifest, { lease: 'l', attempts: 3 });
    expect(pushed).toMatchObject({ ended: false, receipt: { receipt: 'in_flight' } });
    expect(new Set(server.came.map(({ url, body }) => `${url} ${body}`))).toEqual(
      new Set([`/v1/tasks?attempts=3 ${JSON.stringify({ manifest, lease: 'l' })}`]),
    );
    expect(server.came).toHaveLength(4);
  });

  it('is never repeated after another refusal, whose problem is the error', async () => {
    server.script = [problem(422, 'TASK_ID_CONFLICT')];
    const error = await client()
      .tasks.submit(manifest, {})
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WritApiError);
    expect(error).toMatchObject({ status: 422, code: 'TASK_ID_CONFLICT', detail: 'because', field: 'f', problem: { title: 't' } });
    expect(server.came).toHaveLength(1);
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
      server.came = [];
      server.script = [problem(503, 'KERNEL_UNAVAILABLE')];
      await expect(call()).rejects.toMatchObject({ code: 'KERNEL_UNAVAILABLE' });
      server.script = [lost];
      await expect(call()).rejects.toBeInstanceOf(WritConnectionError);
      expect(server.came).toHaveLength(2);
    }
  });

  it('gives up after the retries, and at once when the server wants to be left alone for long', async () => {
    await expect(client({ retries: 1 }).keys()).rejects.toBeInstanceOf(WritConnectionError);
    expect(server.came).toHaveLength(2);
    server.script = [problem(429, 'RATE_LIMITED', { 'retry-after': '3600' })];
    await expect(client().keys()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 3_600_000 });
    expect(server.came).toHaveLength(3);
  });

  it('ends with the reason of its signal, also between two tries', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    server.script = [
      (_request, reply) => {
        reply.destroy();
        controller.abort(reason);
      },
    ];
    await expect(client().keys({ signal: controller.signal })).rejects.toBe(reason);
    await expect(client().keys({ signal: controller.signal })).rejects.toBe(reason);
    expect(server.came).toHaveLength(1);
  });

  it('ends when the server says nothing in time', async () => {
    server.script = [() => undefined];
    await expect(client({ timeoutMs: 50, retries: 0 }).keys()).rejects.toThrow('silent for 50 ms');
  });

  it('does not carry the key along a redirect, and knows an answer that is not ours', async () => {
    server.script = [(_request, reply) => void reply.writeHead(302, { location: '/elsewhere' }).end()];
    await expect(client({ retries: 0 }).keys()).rejects.toBeInstanceOf(WritConnectionError);
    server.script = [(_request, reply) => void reply.writeHead(404).end('<html>')];
    await expect(client().keys()).rejects.toMatchObject({ code: 'HTTP_404', status: 404 });
    expect(server.came.map(({ url }) => url)).toEqual(['/v1/keys', '/v1/keys']);
  });

  it('tells a refusal of its host, which fetch has a meaning of its own for', async () => {
    // By its standard fetch asks once more on another connection.
    server.script = Array.from({ length: 4 }, () => problem(421, 'HOST_NOT_ALLOWED'));
    await expect(client().tasks.submit(manifest, { lease: 'l' })).rejects.toMatchObject({ code: 'HOST_NOT_ALLOWED', status: 421 });
    await expect(client().keys()).rejects.toMatchObject({ code: 'HOST_NOT_ALLOWED', status: 421 });
  });

  it('fails at once with the caller’s own mistake, which is none of the connection', async () => {
    const round: Record<string, unknown> = {};
    round['round'] = round;
    const mistakes: readonly (readonly [Parameters<typeof client>[0], unknown, RegExp])[] = [
      [{}, { ...manifest, inputs: { n: 1n } }, /BigInt/],
      [{}, { ...manifest, inputs: round }, /circular/],
      [{ key: () => Promise.reject(new RangeError('no key today')) }, manifest, /no key today/],
      [{ key: 'two\nlines' }, manifest, /header/i],
    ];
    for (const [options, task, message] of mistakes) {
      const failed = client(options).tasks.submit(task as typeof manifest, { lease: 'l' });
      await expect(failed).rejects.toThrow(message);
      await expect(failed).rejects.not.toBeInstanceOf(WritConnectionError);
    }
    expect(server.came).toHaveLength(0);
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
    server.script = [json(200, answer)];
    expect(await client().contentSearch({ pattern: 'x' })).toEqual(answer);
    expect(server.came).toMatchObject([{ method: 'POST', url: '/v1/search', body: '{"pattern":"x"}' }]);
  });

  it('waits for a result over several rounds, and not longer than it is told', async () => {
    server.script = [json(200, view('running')), json(200, view('success'))];
    expect(await client().tasks.result('a')).toMatchObject({ state: 'success' });
    expect(server.came.map(({ headers }) => headers['prefer'])).toEqual(['wait=30', 'wait=30']);
    server.script = [json(200, view('running')), json(200, view('running'))];
    await expect(client().tasks.result('a', { timeoutMs: 0 })).rejects.toBeInstanceOf(WritTimeoutError);
    server.script = [json(200, { ...view('waiting'), queue: 'file', queue_paused: true })];
    await expect(client().tasks.result('a', { timeoutMs: 0 })).rejects.toMatchObject({
      pausedQueue: 'file',
      message: expect.stringContaining('file is paused'),
    });
  });

  it('fetches the pages of a list as they are taken', async () => {
    server.script = [json(200, { tasks: [{ task_id: '1' }], next: 'c+/=' }), json(200, { tasks: [{ task_id: '2' }] })];
    const found = client().tasks.list({ state: 'failure', path: '/a b' }, { pageSize: 1 });
    expect((await found.next()).value).toMatchObject({ task_id: '1' });
    expect(server.came).toHaveLength(1);
    expect(await all(found)).toMatchObject([{ task_id: '2' }]);
    expect(new URL(server.came[1]?.url ?? '', 'http://x').searchParams.get('cursor')).toBe('c+/=');
  });

  it('is refused by the constructor for options that cannot be meant', () => {
    for (const bad of [{ baseUrl: 'ftp://x' }, { baseUrl: 'http://u:p@x' }, { baseUrl: 'http://x/?q=1' }, { timeoutMs: 0 }, { retries: -1 }]) {
      expect(() => client(bad)).toThrow(TypeError);
    }
  });
});
