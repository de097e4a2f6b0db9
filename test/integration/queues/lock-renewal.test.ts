import { Queue } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { TolerantWorker } from '../../../queues/tolerant-worker.ts';
import { startTestRedis } from '../../support/redis.ts';

describe('the renewal of a lock', () => {
  let server: Awaited<ReturnType<typeof startTestRedis>>;
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  it('is told before Redis is asked, then what came of it, for each job in hand', async () => {
    const connection = await server.client('worker');
    const queue = new Queue('renewed', { connection, prefix: QUEUE_PREFIX });
    const told: string[] = [];
    let end: () => void = () => undefined;
    const renewedTwice = new Promise<void>((resolve) => {
      end = resolve;
    });
    const worker = new TolerantWorker('renewed', () => renewedTwice, {
      connection,
      prefix: QUEUE_PREFIX,
      lockDuration: 60_000,
      lockRenewTime: 20,
      onRenewing: (jobIds) => void told.push(`asks for ${jobIds.join()}`),
    });
    worker.on('locksRenewed', ({ jobIds }) => {
      told.push(`has ${jobIds.join()}`);
      if (told.length >= 4) end();
    });
    await queue.add('task', {}, { jobId: 't_one' });
    await renewedTwice;
    await worker.close();
    await queue.close();
    expect(told.slice(0, 4)).toEqual(['asks for t_one', 'has t_one', 'asks for t_one', 'has t_one']);
  });
});
