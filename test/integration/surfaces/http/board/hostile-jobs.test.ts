import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../../../queues/catalog.ts';
import { manifestOf } from '../../../../support/rig.ts';
import { type BoardRig, startBoardRig } from './board-rig.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly data: Record<string, unknown>;
  readonly failedReason: string;
}

let board: BoardRig;
let rows: ReadonlyMap<string, Row>;
let bytes = 0;

/** What whoever can write to Redis may leave in the failed set. */
const HOSTILE: Readonly<Record<string, Record<string, string>>> = {
  'not-json': { name: 'FILE_MOVE', data: '{"v":1,', opts: '{}', timestamp: '1', failedReason: '"x"' },
  'opts-not-json': { name: 'FILE_MOVE', data: '{}', opts: '[[', timestamp: '1' },
  huge: { name: 'FILE_MOVE', data: JSON.stringify({ a: 'x'.repeat(3_000_000) }), opts: '{}', timestamp: '1' },
  'huge-reason': { name: 'FILE_MOVE', data: '{}', opts: '{}', timestamp: '1', failedReason: `"${'y'.repeat(3_000_000)}"` },
  html: { name: '<img src=x onerror=alert(1)>', data: '{"<script>alert(1)</script>":1}', opts: '{}', timestamp: '1', failedReason: '"<b>bold</b>"' },
  'no-numbers': { name: 'n', data: 'null', opts: 'null', timestamp: 'soon', processedOn: 'never', finishedOn: '{}', delay: '-5', atm: 'x' },
  'long-name': { name: 'n'.repeat(100_000), data: '"text"', opts: '{}', timestamp: '1' },
  'only-a-name': { name: 'n' },
};

beforeAll(async () => {
  board = await startBoardRig();
  for (const [id, hash] of Object.entries(HOSTILE)) {
    await board.redis.hset(`${QUEUE_PREFIX}:file:${id}`, hash);
    await board.redis.zadd(`${QUEUE_PREFIX}:file:failed`, 1, id);
  }
  await board.redis.zadd(`${QUEUE_PREFIX}:file:failed`, 1, 'gone');
  const answer = await board.call('GET', '/api/queues?activeQueue=file&status=failed&page=1&jobsPerPage=100000');
  const text = await answer.text();
  bytes = text.length;
  const { queues } = JSON.parse(text) as { queues: { jobs: Row[] }[] };
  rows = new Map(queues[0]?.jobs.map((job) => [job.id, job]));
});
afterAll(async () => board[Symbol.asyncDispose]());

describe('jobs that somebody else wrote', () => {
  it('do not break the list: each is a short row, and what cannot be read says so', () => {
    expect([...rows.keys()].sort()).toEqual(Object.keys(HOSTILE).sort());
    expect(bytes).toBeLessThan(20_000);
    expect(rows.get('not-json')).toMatchObject({ failedReason: 'the job is no JSON', data: { not_a_task: 'the job is no JSON' } });
    expect(rows.get('huge')?.failedReason).toMatch(/^the job has \d+ bytes$/);
    expect(rows.get('html')).toMatchObject({ data: { not_a_task: 'the data is no task job', type: 'object' } });
  });

  it.each(Object.keys(HOSTILE))('do not break their own page: %s', async (id) => {
    const answer = await board.call('GET', `/api/queues/file/${id}`);
    expect([answer.status, ((await answer.json()) as { job: Row }).job.id]).toEqual([200, id]);
  });

  it.each(['meta', 'id', 'wait', 'events', 'failed', '../../x', 'nobody', ':'])('and keys that are no job are none: %s', async (id) => {
    expect((await board.call('GET', `/api/queues/file/${encodeURIComponent(id)}`)).status).toBe(404);
  });
});

describe('a page of the board', () => {
  it('reads at most 50 jobs, whatever is asked for', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, i) => board.rig.push(manifestOf('FILE_MOVE', `main/${i}`, `main/to-${i}`))));
    const answer = await board.call('GET', '/api/queues?activeQueue=file&status=waiting&jobsPerPage=100000');
    const { queues } = (await answer.json()) as { queues: { jobs: Row[]; pagination: unknown; counts: Record<string, number> }[] };
    expect([queues[0]?.jobs.length, queues[0]?.pagination]).toEqual([50, { pageCount: 2, range: { start: 0, end: 49 } }]);
    expect(queues[0]?.counts['waiting']).toBe(60);
  });
});
