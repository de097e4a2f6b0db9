import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../../../queues/catalog.ts';
import { patient } from '../../../../support/patience.ts';
import { manifestOf } from '../../../../support/rig.ts';
import { type BoardRig, startBoardRig } from './board-rig.ts';

/** 20,000 were measured with this (`docs/board.md`). */
const FAILED = Number(process.env['WRIT_TEST_FAILED'] ?? 1_500);
const REFUSED = { status: 'FAILURE', output: null, error: { error_code: 'INVALID_LEASE', message: 'no' }, signature: 'x' };

let board: BoardRig;
beforeAll(async () => {
  board = await startBoardRig();
  await failMany(FAILED, 1);
});
afterAll(async () => board[Symbol.asyncDispose]());

/** Failed jobs as a worker leaves them that refused each lease; all at one moment, so that pages must tell equals apart. */
async function failMany(count: number, at: number): Promise<void> {
  const { rig, redis } = board;
  const jobs = Array.from({ length: count }, (_, i) => ({ v: 1 as const, manifest: manifestOf('FILE_MOVE', `main/${i}`, `main/to-${i}`), lease: 'none' }));
  const result = JSON.stringify(REFUSED);
  for (let from = 0; from < count; from += 500) {
    const part = jobs.slice(from, from + 500);
    await rig.enqueue.pushMany(part);
    const pipeline = redis.pipeline();
    for (const { manifest } of part) {
      const id = `t_${manifest.task_id}`;
      pipeline.hset(`${QUEUE_PREFIX}:file:${id}`, { failedReason: '"INVALID_LEASE: no"', finishedOn: at, atm: 1 }).zadd(`${QUEUE_PREFIX}:file:failed`, at, id);
    }
    await pipeline.del(`${QUEUE_PREFIX}:file:wait`).exec();
    await Promise.all(part.map(({ manifest }) => rig.ledger.refuse(manifest.task_id, `file:t_${manifest.task_id}`, result)));
  }
}

const failedNow = () => board.redis.zcard(`${QUEUE_PREFIX}:file:failed`);

describe('retry of thousands', () => {
  it('answers soon and honestly, goes on by pages of 200 in flat memory, lets no second one in, and ends', { timeout: patient(300_000) }, async () => {
    const memory = process.memoryUsage().rss;
    const started = performance.now();
    const answers = await Promise.all([board.call('PUT', '/api/queues/file/retry/failed'), board.call('PUT', '/api/queues/file/retry/failed')]);
    const took = performance.now() - started;
    const [first, second] = answers.sort((a, b) => a.status - b.status);
    const said = (await first?.json()) as { retried: number; finished: boolean } | undefined;
    expect([first?.status, second?.status]).toEqual([said?.finished ? 200 : 202, 409]);
    expect(((await second?.json()) as { message: string } | undefined)?.message).toContain('are being retried already');
    // That an answer does not wait for a run that goes on is shown with one that is held: `retry-all.test.ts`.
    if (said?.finished === true) expect(said.retried).toBe(FAILED);

    await expect.poll(() => board.audit.at(-1)?.detail?.['end'], { timeout: patient(240_000), interval: 100 }).toBe('complete');
    const grown = Math.round((process.memoryUsage().rss - memory) / 1024 / 1024);
    const pages = board.audit.filter(({ detail }) => detail?.['page'] !== undefined);
    if (process.env['WRIT_TEST_FAILED'] !== undefined) {
      process.stderr.write(
        `${FAILED} failed: answer ${Math.round(took)} ms ${JSON.stringify(said)}, all ${Math.round(performance.now() - started)} ms, rss +${grown} MiB\n`,
      );
    }
    expect(board.audit.at(-1)?.detail).toEqual({ end: 'complete', retried: FAILED, refused: 0 });
    expect(pages.map(({ detail }) => detail?.['retried'])).toEqual([
      ...Array.from({ length: Math.floor(FAILED / 200) }, () => 200),
      ...(FAILED % 200 === 0 ? [] : [FAILED % 200]),
    ]);
    expect([await failedNow(), await board.redis.llen(`${QUEUE_PREFIX}:file:wait`)]).toEqual([0, FAILED]);
    expect(grown).toBeLessThan(150);
  });

  it('leaves alone what fails meanwhile and counts what is no task of ours', async () => {
    await failMany(3, 5);
    await board.redis.hset(`${QUEUE_PREFIX}:file:17`, { name: 'x', data: '{}', opts: '{}', timestamp: 1 });
    await board.redis.zadd(`${QUEUE_PREFIX}:file:failed`, 4, '17');
    const answer = await board.call('PUT', '/api/queues/file/retry/failed');
    expect([answer.status, await answer.json()]).toEqual([200, { retried: 3, skipped: 1, finished: true }]);
    expect(board.audit.at(-1)).toMatchObject({ outcome: 'done', detail: { end: 'complete', retried: 3, refused: 1, WRONG_STATE: 1 } });
    expect(await failedNow()).toBe(1);
  });
});
