import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMessageLane } from '../../../../../queues/message-lane.ts';
import { createStatusReader } from '../../../../../queues/queue-status.ts';
import { message } from '../../../../support/messages/samples.ts';
import { type LaneBoard, startLaneBoard } from './lane-board.ts';

let board: LaneBoard;
beforeAll(async () => {
  board = await startLaneBoard({ messages: true });
});
afterAll(() => board[Symbol.asyncDispose]());

describe('the queue message-index', () => {
  it('is on the board and in the status, without a word of what its jobs bring', async () => {
    const ids = ['one', 'two', 'three'];
    const lane = createMessageLane({ pool: 'default', connection: await board.redis.client('producer'), newId: () => ids.shift() ?? 'none', now: Date.now });
    await lane.submit([message({ key: 'a', subject: 'secret plan' }), message({ key: 'b', body_md: 'secret words' })]);
    const shown = await (await board.call('GET', '/api/queues/message-index/i_one')).text();
    expect(JSON.parse(shown)).toMatchObject({ job: { name: 'ingest', data: { operations: 2, stored: false } } });
    expect(shown).not.toContain('secret');
    await lane.submit([{ op: 'mark', name: '/secret/mail.jsonl', position: '7', items: 500, bad: 0, pass: 0, finished: false }, message({ key: 'c' })]);
    await lane.submit([{ op: 'rebuild' }]);
    const job = async (id: string) => (await board.call('GET', `/api/queues/message-index/i_${id}`)).text();
    expect(JSON.parse(await job('two'))).toMatchObject({ job: { data: { operations: 2, import_stored: 500 } } });
    expect(await job('two')).not.toContain('secret');
    expect(JSON.parse(await job('three'))).toMatchObject({ job: { data: { rebuild: true } } });
    await lane.stop();
    expect((await board.call('PUT', '/api/queues/message-index/i_one/retry')).status).toBe(409);
    const reader = createStatusReader({ connection: await board.redis.client('ledger'), pool: 'default', lanes: { messages: true }, workers: '/nonexistent' });
    expect((await reader.figures()).queues.find(({ queue }) => queue === 'message-index')).toMatchObject({ waiting: 3 });
    await reader.close();
  });
});
