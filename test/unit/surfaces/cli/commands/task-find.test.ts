import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TaskRecord } from '../../../../../src/contracts/index.ts';
import { failure } from '../../../../../src/core/outcome.ts';
import { createWorld, type World } from '../world.ts';

/** An API that has an index: what it is asked is kept, and it answers from `records`. */
let server: http.Server;
let asked: URL[];
let records: TaskRecord[];
let home: string;
const HOSTILE = '<b>\u001b[2J\u202egnp.exe';

const record = (task_id: string, changes: Partial<TaskRecord> = {}): TaskRecord => ({
  ...{ task_id, capability_id: 'FILE_COPY', queue: 'file', state: 'failure', attempts: 1 },
  ...{ submitted_at: '2025-12-31T23:00:00.000Z', updated_at: '2025-12-31T23:59:00.000Z' },
  ...changes,
});

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'writ-task-find-'));
  writeFileSync(join(home, 'operator.key'), 'secret\n');
  server = http.createServer((request, reply) => {
    const url = new URL(request.url ?? '', 'http://x');
    asked.push(url);
    const say = (status: number, body: object): void => void reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.headers.authorization !== 'Bearer secret') return say(401, { code: 'UNAUTHORIZED', detail: 'this needs a valid API key', status: 401 });
    const state = url.searchParams.get('state');
    const fitting = records.filter((one) => state === null || one.state === state);
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const limit = Math.min(2, Number(url.searchParams.get('limit')));
    say(200, { tasks: fitting.slice(from, from + limit), ...(from + limit < fitting.length ? { next: String(from + limit) } : {}) });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(home, { recursive: true, force: true });
});
beforeEach(() => {
  asked = [];
  records = [];
});

async function worldWithApi(url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`) {
  const world = await createWorld();
  const access = { ...unusedAccess, apiUrl: () => url, secretFile: (name: string) => join(home, `${name}.key`) };
  return { world, writ: (...args: string[]) => world.cli(['tasks', ...args], '', { access }) };
}
const unused = (): never => {
  throw new Error('nobody asks');
};
const unusedAccess = { keys: unused, links: unused, assertNew: unused, keepSecret: unused };

async function failedTasks(world: World, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await world.push(world.manifest(id));
    await world.work(id, failure('EXECUTION_FAILED', 'no'));
  }
}

describe('writ tasks list', () => {
  it('shows what the index has, as a table for people and a line a task for programs', async () => {
    const { writ } = await worldWithApi();
    records = [record('t-1', { error_code: 'EXECUTION_FAILED', message: HOSTILE }), record('t-2', { state: 'success', source_path: '/b/s' }), record('t-3')];
    const { code, out } = await writ('list', '--since', '24h', '--path', '/b');
    expect(code).toBe(0);
    expect(out).toMatch(/t-1 +failure +1 min +FILE_COPY +1 +EXECUTION_FAILED: <b>\\u001b\[2J\\u202egnp.exe/);
    expect(out).not.toContain('\u001b');
    expect(out.split('\n').filter((line) => line.startsWith('t-'))).toHaveLength(3);
    expect(asked[0]?.searchParams.get('since')).toBe('2025-12-31T00:00:00.000Z');
    const json = await writ('list', '--json', '--limit', '2');
    expect(json.lines.map(({ task_id }) => task_id)).toEqual(['t-1', 't-2']);
    expect((await writ('list', '--limit', '2')).err).toContain('--limit shows more than 2');
    records = [];
    expect((await writ('list')).out).toBe('no task fits\n');
  });

  it.each([
    [['--state', 'broken'], '--state must be one of waiting, delayed, running, success, failure'],
    [['--since', 'yesterday'], '--since must be a time such as 2026-01-31T12:00:00Z, or an age such as 90s'],
    [['--until', '2026-01-31'], '--until must be a time such as'],
    [['--limit', '0'], '--limit'],
    [['--path', ''], '--path'],
  ])('refuses %j', async (args, field) => {
    const { writ } = await worldWithApi();
    expect(await writ('list', ...args)).toMatchObject({ code: 2, err: expect.stringContaining(field) });
    expect(asked).toEqual([]);
  });

  it('says in a sentence that the API is away, or that the key is not good', async () => {
    const away = await worldWithApi('http://127.0.0.1:1');
    expect(await away.writ('list')).toMatchObject({ code: 3, err: expect.stringContaining('the API of this data directory does not answer') });
    const { writ } = await worldWithApi();
    const bad = join(home, 'bad.key');
    writeFileSync(bad, 'wrong');
    expect(await writ('list', '--key', bad)).toMatchObject({ code: 1, err: expect.stringContaining('UNAUTHORIZED') });
    expect(await writ('list', '--key', join(home, 'none'))).toMatchObject({ code: 2, err: expect.stringContaining('--key') });
  });
});

describe('writ tasks retry and cancel', () => {
  it('say how many they found and do nothing without a yes', async () => {
    const { world, writ } = await worldWithApi();
    records = ['a', 'b', 'c'].map((id) => record(id));
    expect(await writ('retry', '--code', 'EXECUTION_FAILED')).toMatchObject({ code: 2, err: expect.stringContaining('this would retry 3 tasks: say --yes') });
    expect(world.audit).toEqual([]);
    records = [];
    expect(await writ('retry')).toMatchObject({ code: 0, out: 'no task fits\n' });
  });

  it('retry every failed task, count what is refused by its code, and are audited page by page', async () => {
    const { world, writ } = await worldWithApi();
    await failedTasks(world, ['a', 'b', 'c']);
    records = ['a', 'b', 'c', 'stranger'].map((id) => record(id));
    const { code, lines } = await writ('retry', '--yes', '--json');
    expect(code).toBe(1);
    expect(
      lines
        .slice(0, -1)
        .map(({ id, outcome, code: why }) => [id, outcome, why])
        .sort(),
    ).toEqual([
      ['a', 'done', undefined],
      ['b', 'done', undefined],
      ['c', 'done', undefined],
      ['stranger', 'refused', 'NOT_FOUND'],
    ]);
    expect(lines.at(-1)).toEqual({ summary: { tasks: 4, done: 3, refused: 1, end: 'complete', refused_by: { NOT_FOUND: 1 } } });
    expect(asked.every((url) => url.searchParams.get('state') === 'failure' && url.searchParams.get('until') === '2026-01-01T00:00:00.000Z')).toBe(true);
    expect(world.audit.map(({ action, outcome, detail }) => [action, outcome, detail])).toEqual([
      ['task.retry_all', 'asked', { found: 4 }],
      ['task.retry_all', 'done', { page: 1, tasks: 2 }],
      ['task.retry_all', 'done', { page: 2, tasks: 2 }],
      ['task.retry_all', 'done', { end: 'complete', done: 3, refused: 1, NOT_FOUND: 1 }],
    ]);
  });

  it('stop at the end of what is under way when they are interrupted, and say how to go on', async () => {
    const { world, writ } = await worldWithApi();
    await failedTasks(world, ['a', 'b', 'c']);
    records = ['a', 'b', 'c'].map((id) => record(id));
    const { retry } = world.tasks.enqueue;
    Object.assign(world.tasks.enqueue, {
      retry: async (...args: Parameters<typeof retry>) => {
        world.interrupt.abort();
        return retry(...args);
      },
    });
    const { code, out } = await writ('retry', '--code', 'X Y', '--yes');
    expect(code).toBe(1);
    expect(out).toMatch(
      /^[12] tasks? retried; [12] left\. What is done stays done; this goes on:\n {2}writ tasks retry --code 'X Y' --until 2026-01-01T00:00:00.000Z --yes\n$/,
    );
    expect(world.audit.at(-1)).toMatchObject({ outcome: 'refused', detail: { end: 'interrupted' } });
  });

  it('cancel what is named without asking for a yes', async () => {
    const { world, writ } = await worldWithApi();
    await world.push(world.manifest('w'));
    expect(await writ('cancel', 'w')).toMatchObject({ code: 0, out: '1 task asked to cancel\n' });
    expect((await world.tasks.ledger.row('w'))?.cancelRequested).toBe(true);
    expect(await writ('cancel', 'w', '--state', 'waiting')).toMatchObject({ code: 2, err: expect.stringContaining('not both') });
    expect(await writ('cancel', '--state', 'success')).toMatchObject({ code: 2, err: expect.stringContaining('--state') });
    expect(await writ('retry', '--state', 'waiting')).toMatchObject({ code: 2 });
    expect(asked).toEqual([]);
  });
});

describe('writ tasks show and follow', () => {
  it('tell the verified outcome and what may be done', async () => {
    const { world, writ } = await worldWithApi();
    await failedTasks(world, ['a']);
    const { code, out } = await writ('show', 'a');
    expect([code, out]).toEqual([1, expect.stringMatching(/state +failure[\s\S]*signature +verified[\s\S]*may be +retried/)]);
    expect((await writ('show', 'a', '--json')).lines[0]).toMatchObject({
      task_id: 'a',
      from: 'ledger',
      verified: true,
      may: { retry: true, undo: false, cancel: false },
    });
    expect((await writ('show', 'nobody')).code).toBe(1);
    expect((await writ('follow', 'a')).code).toBe(1);
    await world.push(world.manifest('w'));
    expect(await writ('follow', 'w', '--timeout', '0s')).toMatchObject({ code: 3, err: expect.stringContaining('no outcome after 0s') });
    expect((await writ('show', 'w')).code).toBe(3);
  });
});
