import { once } from 'node:events';
import type http from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BulkReceipt, BulkSummary, TaskManifest } from '../../../../src/contracts/index.ts';
import { manifestOf } from '../../../support/rig.ts';
import { linesOf, type Site, startSite } from './routes-site.ts';

const NDJSON = { 'content-type': 'application/x-ndjson' };

describe('POST /v1/tasks with a stream of tasks', () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
  });
  afterAll(() => site[Symbol.asyncDispose]());

  const manifest = (changes: Partial<TaskManifest> = {}): TaskManifest => manifestOf('FILE_MOVE', '/a', '/b', changes);
  const line = async (task: TaskManifest): Promise<string> => `${JSON.stringify({ manifest: task, lease: await site.rig.lease(task) })}\n`;
  const lines = (count: number): Promise<string[]> => Promise.all(Array.from({ length: count }, () => line(manifest())));
  const waiting = async (): Promise<number> => (await site.rig.redis.client()).llen('{writ}:file:wait');
  const push = async (body: string, query = '', as: 'submit' | 'operator' | 'read' = 'submit') => {
    const reply = await site.ask(`/v1/tasks${query}`, { method: 'POST', as, body, headers: NDJSON });
    const all = reply.status === 200 ? (linesOf(reply.text) as (BulkReceipt | BulkSummary)[]) : [];
    return { reply, receipts: all.slice(0, -1) as BulkReceipt[], last: all.at(-1) as BulkSummary };
  };

  // 100,000 of them: `npm run test:long -- bulk`.
  it('answers 1,000 lines in their order, and a bad one harms no other', async () => {
    const good = await lines(990);
    const bad = [
      '{"manifest":',
      '[]',
      '"x"',
      '{"manifest":{}}',
      `{"manifest":${JSON.stringify(manifest())}}`,
      `{"manifest":${JSON.stringify(manifest({ task_id: '..' }))}}`,
      `{"x":"${'y'.repeat(1100_000)}"}`,
    ];
    const other = manifest();
    const stranger = `${JSON.stringify({ manifest: other, lease: await site.rig.lease(manifest()) })}\n`;
    const twice = good[10] ?? '';
    const all = [...good.slice(0, 400), ...bad.map((text) => `${text.trim()}\n`), '\n', stranger, twice, ...good.slice(400)];
    const before = await waiting();
    const { reply, receipts, last } = await push(all.join(''));
    expect(reply.headers.get('content-type')).toContain('application/x-ndjson');
    expect(last).toEqual({ summary: { lines: 999, accepted: 990, in_flight: 1, retried: 0, finished: 0, rejected: 8 } });
    expect(receipts.map((receipt) => receipt.line)).toEqual([...Array(1000).keys()].map((at) => at + 1).filter((at) => at !== 408));
    expect(receipts.filter(({ receipt }) => receipt === 'rejected').map(({ line: at, code, field }) => [at, code, field])).toEqual([
      [401, 'INVALID_MANIFEST', undefined],
      [402, 'INVALID_MANIFEST', undefined],
      [403, 'INVALID_MANIFEST', undefined],
      [404, 'INVALID_MANIFEST', 'manifest.task_id'],
      [405, 'INVALID_LEASE', 'lease'],
      [406, 'INVALID_MANIFEST', 'manifest.task_id'],
      [407, 'INVALID_MANIFEST', undefined],
      [409, 'INVALID_LEASE', 'lease'],
    ]);
    expect(await waiting()).toBe(before + 990);
  });

  it('refuses a task id that belongs to other bytes on its line', async () => {
    const first = manifest();
    const { receipts } = await push((await line(first)) + (await line({ ...first, inputs: { source_path: '/c', destination_path: '/d' } })));
    expect(receipts).toMatchObject([{ receipt: 'accepted' }, { receipt: 'rejected', code: 'TASK_ID_CONFLICT', task_id: first.task_id }]);
  });

  it('has the kernel sign the lines without a lease, for those who may', async () => {
    const bare = [manifest(), manifest()];
    const body = bare.map((task) => JSON.stringify(task)).join('\n');
    expect((await push(body, '?sign=true')).reply).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    const { last } = await push(`${body}\n${await line(manifest())}`, '?sign=true', 'operator');
    expect(last).toMatchObject({ summary: { lines: 3, accepted: 3, rejected: 0 } });
    expect(site.audit().filter(({ subject }) => subject === 'bulk push')).toMatchObject([{ action: 'lease.issue', outcome: 'asked' }, { outcome: 'done' }]);
  });

  it('answers an empty stream with an empty summary', async () => {
    expect((await push('\n')).last).toEqual({ summary: { lines: 0, accepted: 0, in_flight: 0, retried: 0, finished: 0, rejected: 0 } });
  });

  it('is for keys with the role submit, and for JSON in UTF-8 without a content encoding', async () => {
    expect((await push(await line(manifest()), '', 'read')).reply).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    const packed = await site.ask('/v1/tasks', { method: 'POST', as: 'submit', body: 'x', headers: { ...NDJSON, 'content-encoding': 'gzip' } });
    expect(packed).toMatchObject({ status: 415, body: { code: 'UNSUPPORTED_MEDIA_TYPE' } });
  });

  it('answers a line as soon as it has come, while the client goes on writing', async () => {
    const request = site.stream('/v1/tasks', 'submit');
    request.write(await line(manifest()));
    const response = await responseOf(request);
    const answers = linesFrom(response);
    expect((await answers.next()).value).toMatchObject({ line: 1, receipt: 'accepted' });
    request.write(await line(manifest()));
    expect((await answers.next()).value).toMatchObject({ line: 2, receipt: 'accepted' });
    request.end(await line(manifest()));
    expect((await answers.next()).value).toMatchObject({ line: 3, receipt: 'accepted' });
    expect((await answers.next()).value).toMatchObject({ summary: { lines: 3 } });
  });

  it('stops reading when the client does not take the answers, and goes on when it does', async () => {
    const request = site.stream('/v1/tasks', 'submit');
    // Bad lines are cheap, and their answers are as long as they are: some megabytes fill every buffer on both ways.
    const block = `${'x'.repeat(149)}\n`.repeat(2000);
    request.write(block);
    const response = await responseOf(request);
    response.pause();
    let written = 1;
    while (written < 200 && (await accepts(request, block))) written += 1;
    expect(written).toBeLessThan(200);
    request.end(await line(manifest()));
    const counts = new Map<unknown, number>();
    let last: unknown;
    for await (const answer of linesFrom(response)) {
      counts.set((answer as BulkReceipt).receipt, (counts.get((answer as BulkReceipt).receipt) ?? 0) + 1);
      last = answer;
    }
    // The block that did not fit was written too: node keeps it until there is room.
    const rejected = 2000 * (written + 1);
    expect(last).toMatchObject({ summary: { lines: rejected + 1, accepted: 1, rejected } });
    expect(counts.get('rejected')).toBe(rejected);
  });

  it('keeps what was queued when the client dies in the middle, and serves the next one', async () => {
    const before = await waiting();
    const request = site.stream('/v1/tasks', 'submit');
    request.write((await lines(50)).join(''));
    const response = await responseOf(request);
    const answers = linesFrom(response);
    for (let at = 0; at < 50; at += 1) await answers.next();
    request.on('error', () => undefined).write((await line(manifest())).slice(0, 100));
    response.on('error', () => undefined);
    request.destroy();
    const { last } = await push(await line(manifest()));
    expect(last).toMatchObject({ summary: { accepted: 1 } });
    expect(await waiting()).toBe(before + 51);
  });

  it('ends with a problem when Redis fills up in the middle; what was answered is queued', async () => {
    const redis = await site.rig.redis.client();
    const request = site.stream('/v1/tasks', 'submit');
    request.write(await line(manifest()));
    const answers = linesFrom(await responseOf(request));
    expect((await answers.next()).value).toMatchObject({ receipt: 'accepted' });
    await redis.config('SET', 'maxmemory', '1mb');
    try {
      request.write(await line(manifest()));
      expect((await answers.next()).value).toMatchObject({ summary: { lines: 1, accepted: 1 }, problem: { code: 'REDIS_FULL', status: 429 } });
      expect((await answers.next()).done).toBe(true);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
      request.destroy();
    }
  });

  /** A client that never stops: bytes that the server took until it cut the connection, and what it said. */
  const flood = async (query: string, as: 'submit' | 'read', first: string): Promise<{ taken: number; said: string }> => {
    const { port, host } = new URL(site.url);
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
    socket.on('error', () => undefined);
    let said = '';
    socket.on('data', (text: string) => {
      said += text;
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(
      `POST /v1/tasks${query} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${site.secret(as)}\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
    socket.write(chunk(first));
    const block = chunk(`${'x'.repeat(1023)}\n`.repeat(64));
    const send = (): void => {
      while (!socket.destroyed && socket.bytesWritten < 500_000_000 && socket.write(block));
    };
    socket.on('drain', send);
    send();
    await closed;
    return { taken: socket.bytesWritten - socket.writableLength, said };
  };

  it('reads no more than a bounded rest of a client that keeps sending after its push was refused', async () => {
    const redis = await site.rig.redis.client();
    const task = await line(manifest());
    await redis.config('SET', 'maxmemory', '1mb');
    try {
      const full = await flood('', 'submit', task);
      expect(full.said).toContain('REDIS_FULL');
      expect(full.taken).toBeLessThan(32_000_000);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    for (const [query, as] of [
      ['?attempts=0', 'submit'],
      ['', 'read'],
      ['?sign=true', 'submit'],
    ] as const)
      expect((await flood(query, as, task)).taken).toBeLessThan(32_000_000);
    // For a moment the API still takes Redis for full.
    await expect.poll(async () => (await push(await line(manifest()))).last).toMatchObject({ summary: { accepted: 1 } });
  });
});

async function responseOf(request: http.ClientRequest): Promise<http.IncomingMessage> {
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return response;
}

async function* linesFrom(response: http.IncomingMessage): AsyncGenerator<unknown, undefined> {
  let rest = '';
  for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) {
    const parts = (rest + piece).split('\n');
    rest = parts.pop() ?? '';
    for (const text of parts) yield JSON.parse(text) as unknown;
  }
  return undefined;
}

/** Whether the server takes the text within the time in which it would take it many times over. */
async function accepts(request: http.ClientRequest, text: string): Promise<boolean> {
  if (request.write(text)) return true;
  const stuck = new AbortController();
  const timer = setTimeout(() => stuck.abort(), 1500);
  try {
    await once(request, 'drain', { signal: stuck.signal });
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
