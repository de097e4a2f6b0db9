import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Queue } from 'bullmq';
import { expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import type { TaskEvent } from '../../../src/contracts/index.ts';
import type { TaskIndex } from '../../../src/core/ports/index.ts';
import { scriptArgs } from '../../support/compiled/script.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { startTestRedis } from '../../support/redis.ts';
import { allRows, eventually, fastFeed } from '../../support/task-feed.ts';
import { temporaryIndex } from '../../support/task-index.ts';

const CHILD = new URL('../../support/task-feed-child.ts', import.meta.url);
const ROUND = 1500;

const jobs = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    name: 'FILE_MOVE',
    data: { v: 1, manifest: { task_id: `n${from + n}`, capability_id: 'FILE_MOVE', inputs: { source_path: '/in' }, constraints: {} } },
    opts: { jobId: `t_n${from + n}` },
  }));

async function eventsAfter(index: TaskIndex, after: number | undefined, count: number): Promise<TaskEvent[]> {
  const events: TaskEvent[] = [];
  for await (const event of index.events(after, AbortSignal.timeout(PATIENCE_MS))) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

it('loses and repeats nothing when the feeding process is killed, and lets the next one have the index', async () => {
  await using server = await startTestRedis();
  await using under = await temporaryIndex();
  const { index, file } = under;
  const queue = new Queue('file', { connection: await server.client(), prefix: QUEUE_PREFIX });
  const feed = fastFeed(await server.client(), index);
  await feed.start();
  await eventually('following', () => index.health().state === 'following');
  const first = eventsAfter(index, undefined, 1);
  await queue.addBulk(jobs(0, 1));
  const [{ id: begin } = { id: 0 }] = await first;
  await feed.stop();
  await index.stop();

  let pushed = 1;
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(process.execPath, scriptArgs(CHILD, [file, JSON.stringify(server.target())]), { stdio: ['ignore', 'pipe', 'inherit'] });
    const says = (): Promise<unknown> => once(child.stdout, 'data');
    await says();
    if (round === 0) {
      await expect(index.start()).rejects.toMatchObject({ code: 'POOL_OWNED' });
      await index.stop();
    }
    await queue.addBulk(jobs(pushed, ROUND));
    pushed += ROUND;
    // It writes a line every few milliseconds; the first after the push finds it in the midst of its batches.
    await says();
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  await index.start();
  await feed.start();
  await eventually('every task', () => index.health().tasks === pushed);
  const rows = await allRows(index);
  expect(new Set(rows.map(({ task_id }) => task_id)).size).toBe(pushed);
  const events = await eventsAfter(index, begin, pushed - 1);
  expect(events.map(({ id }) => id)).toEqual(Array.from({ length: pushed - 1 }, (_, n) => begin + 1 + n));
  expect(new Set(events.map(({ task_id }) => task_id)).size).toBe(pushed - 1);
  await feed.stop();
  await queue.close();
});
