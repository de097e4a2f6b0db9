import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBoardQueues } from '../../../../../queues/board-queues.ts';
import { createIndexLane } from '../../../../../queues/index-lane.ts';
import { createStatusReader } from '../../../../../queues/queue-status.ts';
import { type LaneBoard, startLaneBoard } from './lane-board.ts';

const HASH = 'c0ffee'.padEnd(64, '0');

let board: LaneBoard;
beforeAll(async () => {
  board = await startLaneBoard({ index: true });
});
afterAll(() => board[Symbol.asyncDispose]());

const call: LaneBoard['call'] = (method, path) => board.call(method, path);

describe('the queue index-maintenance on the board', () => {
  it('shows tasks that wait and tasks that failed, without a button to retry them', async () => {
    const [connection, worker] = [await board.redis.client('producer'), await board.redis.client('worker')];
    const failed = deferred();
    const lane = createIndexLane({ pool: 'default', connection, worker, newId: () => 'one', onFailed: () => failed.resolve() });
    lane.process(() => Promise.reject(new Error('no room on the disk')));
    await lane.start();
    await lane.submit({ keyHash: HASH, kind: 'build', reason: 'asked by ops (http)' });
    await failed.promise;
    await lane.stop();

    const { job } = (await (await call('GET', '/api/queues/index-maintenance/m_one')).json()) as { job: object };
    expect(job).toMatchObject({
      name: 'build',
      failedReason: 'no room on the disk',
      data: { task_kind: 'build', key_hash: HASH, reason: 'asked by ops (http)' },
    });
    const list = (await (await call('GET', '/api/queues?activeQueue=index-maintenance&status=failed&page=1&jobsPerPage=10')).json()) as {
      queues: { name: string; allowRetries: boolean }[];
    };
    expect(list.queues.find(({ name }) => name === 'index-maintenance')).toMatchObject({ allowRetries: false });
    expect((await call('PUT', '/api/queues/index-maintenance/m_one/retry')).status).toBe(409);
  });

  it('is there only where an index is wanted, also in the status', async () => {
    const connection = await board.redis.client('ledger');
    for (const index of [true, false]) {
      await using queues = openBoardQueues({ connection, pool: 'default', lanes: { index } });
      expect(queues.queues.map(({ name }) => name).includes('index-maintenance')).toBe(index);
      const reader = createStatusReader({ connection, pool: 'default', lanes: { index }, workers: '/nonexistent' });
      expect((await reader.figures()).queues.map(({ queue }) => queue).includes('index-maintenance')).toBe(index);
      await reader.close();
    }
  });
});

function deferred() {
  let settle: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: () => settle() };
}
