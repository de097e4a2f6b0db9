import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READ_ROUTES } from '../../../../../src/surfaces/http/board/allow-list.ts';
import { manifestOf } from '../../../../support/rig.ts';
import { type BoardRig, startBoardRig } from './board-rig.ts';

interface Offered {
  readonly method: string | string[];
  readonly route: string | string[];
}
/** What the installed Bull Board offers: the tests follow it, also when it grows. */
const { appRoutes, buildHistoryRoutes } = createRequire(import.meta.url)('@bull-board/api/dist/routes.js') as {
  appRoutes: { entryPoint: Offered; api: Offered[] };
  buildHistoryRoutes(provider: object, capabilities: object): Offered[];
};
const offered = [...appRoutes.api, ...buildHistoryRoutes({}, { hasUsage: true, canPurge: true, hasLatency: true })].flatMap(({ method, route }) =>
  [method].flat().flatMap((verb) => [route].flat().map((path) => `${verb} ${path}`)),
);
/** Answered by Writ itself. */
const OWN = new Set([
  'put /api/queues/:queueName/:jobId/retry',
  'put /api/queues/:queueName/retry/:queueStatus',
  'put /api/queues/:queueName/pause',
  'put /api/queues/:queueName/resume',
  'get /api/queues/:queueName/:jobId/flow',
]);
const refused = offered.filter((row) => !READ_ROUTES.has(row) && !OWN.has(row));

let board: BoardRig;
let failedId = '';
beforeAll(async () => {
  board = await startBoardRig();
  const manifest = manifestOf('FILE_MOVE', 'main/absent.txt', 'main/there.txt');
  failedId = `t_${manifest.task_id}`;
  await board.rig.push(manifest);
});
afterAll(async () => board[Symbol.asyncDispose]());

const filled = (path: string, status = 'failed') =>
  path.replace(':queueName', 'file').replace(':jobId', failedId).replace(':queueStatus', status).replace(':schedulerId', 's');
const split = (row: string): [string, string] => [row.split(' ')[0]?.toUpperCase() ?? '', row.split(' ')[1] ?? ''];

describe('the routes of the board', () => {
  it('are all known: the installed Bull Board offers nothing that is neither served nor refused on purpose', () => {
    expect(offered.length).toBeGreaterThan(30);
    expect(refused).toEqual(
      expect.arrayContaining(['put /api/queues/pause', 'post /api/queues/:queueName/add', 'patch /api/queues/:queueName/:jobId/update-data']),
    );
    expect([...READ_ROUTES].every((row) => row.startsWith('get ') && offered.includes(row))).toBe(true);
  });

  it.each([...READ_ROUTES])('serves %s', async (row) => {
    const [method, path] = split(row);
    const answer = await board.call(method, filled(path));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  });

  it('pauses and resumes a queue, audited, and shows that it is paused', async () => {
    const shown = async () => {
      const { queues } = (await (await board.call('GET', '/api/queues')).json()) as { queues: { name: string; isPaused: boolean }[] };
      return queues.find(({ name }) => name === 'file')?.isPaused;
    };
    expect((await board.call('PUT', '/api/queues/file/pause')).status).toBe(200);
    expect(await shown()).toBe(true);
    expect((await board.call('PUT', '/api/queues/file/resume')).status).toBe(200);
    expect(await shown()).toBe(false);
    expect(board.audit.filter(({ action }) => action.startsWith('queue.')).map(({ action, outcome, surface }) => [surface, action, outcome])).toEqual([
      ['board', 'queue.pause', 'asked'],
      ['board', 'queue.pause', 'done'],
      ['board', 'queue.resume', 'asked'],
      ['board', 'queue.resume', 'done'],
    ]);
    expect((await board.call('PUT', '/api/queues/other/pause')).status).toBe(404);
  });

  it.each(refused)('refuses %s with a problem document that the pages can show', async (row) => {
    const [method, path] = split(row);
    const before = await board.redis.dbsize();
    const answer = await board.call(method, filled(path), method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([405, expect.stringMatching(/^application\/problem\+json/)]);
    expect(await answer.json()).toMatchObject({
      code: 'METHOD_NOT_ALLOWED',
      status: 405,
      error: 'Method not allowed',
      message: expect.stringMatching(/^(There is no such page|This board only shows, retries, and pauses queues)/),
    });
    expect(await board.redis.dbsize()).toBe(before);
  });

  it.each(['completed', 'delayed', 'waiting', 'active', 'latest', '%2e%2e', 'failed/'])('refuses a retry of all jobs that are %s', async (status) => {
    expect((await board.call('PUT', filled('/api/queues/:queueName/retry/:queueStatus', status))).status).toBe(405);
  });

  it.each(['DELETE', 'PATCH', 'POST', 'OPTIONS', 'PUT'])('refuses %s of anything that nobody thought of', async (method) => {
    for (const path of ['/', '/api/queues', '/api/queues/file', '/api/new', '/static/js/x.js', `/api/queues/file/${failedId}`]) {
      expect([path, (await board.call(method, path)).status]).toEqual([path, 405]);
    }
  });

  it.each([...offered, 'get /', 'get /queue/file', 'get /writ.css', 'get /static/locales/en-US/messages.json'])(
    'needs the role operate for %s',
    async (row) => {
      const [method, path] = split(row);
      expect((await board.call(method, filled(path), {}, 'read')).status).toBe(403);
    },
  );
});

describe('the pages of the board', () => {
  it.each([appRoutes.entryPoint.route].flat())('load nothing from elsewhere and run no inline code: %s', async (path) => {
    const answer = await board.call('GET', filled(path));
    const html = await answer.text();
    expect([answer.status, answer.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("default-src 'none'; script-src 'self'; style-src 'self'"),
    ]);
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(html).not.toMatch(/<style|style="|onload=|<script>/);
    expect(html).toContain('<base href="/board/" />');
  });

  it('tell the truth about what a retry of all jobs does, in every language', async () => {
    for (const language of ['en-US', 'de-DE', 'ja-JP']) {
      const answer = await board.call('GET', `/static/locales/${language}/messages.json`);
      const messages = (await answer.json()) as { QUEUE: { ACTIONS: { TOAST: Record<string, string> } } };
      expect(messages.QUEUE.ACTIONS.TOAST['RETRY_DONE']).toContain('audit log');
    }
  });

  it('keep the details of Redis and the addresses of workers to themselves', async () => {
    await board.rig.startWorker();
    const { workers } = (await (await board.call('GET', '/api/queues/file/workers')).json()) as { workers: { addr: string; name: unknown }[] };
    expect(workers.map(({ addr, name }) => [addr, name])).toEqual([['local', null]]);
    expect((await board.call('GET', '/api/redis/stats')).status).toBe(405);
  });
});
