import { describe, expect, it } from 'vitest';
import { createEnqueue } from '../../../queues/enqueue.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { WritError } from '../../../src/core/errors.ts';
import type { Enqueue, Ledger } from '../../../src/core/ports/index.ts';
import { commandCount } from '../../support/redis.ts';
import { taskJob, useQueueRig } from './fixture.ts';

const OTHER = { inputs: { source_path: '/another', destination_path: '/a/c' } };

describe('single pushes of many callers at a time', () => {
  const at = useQueueRig();
  const together = (change: Partial<Ledger> = {}): Enqueue => {
    const { connection, ledger, results, queueName } = at.rig;
    return createEnqueue({ connection, ledger: { ...ledger, ...change }, results, clock: systemClock, pool: queueName.slice('file@'.length), together: true });
  };

  it('are one question to ledger and queue and one command, and each has its own receipt', async () => {
    const enqueue = together();
    await enqueue.push(taskJob('first'));
    const redis = await at.server.client();
    await redis.config('RESETSTAT');
    const receipts = await Promise.all(Array.from({ length: 40 }, (_, n) => enqueue.push(taskJob(`new-${n}`))));
    const stats = await redis.info('commandstats');
    expect(receipts).toEqual(Array.from({ length: 40 }, (_, n) => ({ kind: 'accepted', taskId: `new-${n}`, queue: at.rig.queueName, jobId: `t_new-${n}` })));
    // BullMQ's script asks once for each id as well.
    const scripts = commandCount(stats, 'evalsha') + commandCount(stats, 'eval');
    expect([commandCount(stats, 'exists'), commandCount(stats, 'hgetall'), scripts]).toEqual([42, 0, 1]);
    expect(await at.rig.queue.getWaitingCount()).toBe(41);
  });

  it('meet what the table says, those of one task in their order', async () => {
    const enqueue = together();
    const done = await at.rig.record(taskJob('done'), 'SUCCESS');
    const pushes = [taskJob('t'), taskJob('t'), taskJob('t', OTHER), taskJob('done'), taskJob('done', OTHER)];
    expect(await Promise.all(pushes.map((job) => enqueue.push(job)))).toMatchObject([
      { kind: 'accepted' },
      { kind: 'in-flight' },
      { kind: 'conflict' },
      { kind: 'finished', result: done },
      { kind: 'conflict' },
    ]);
  });

  it('do not fail for the fault of another, and all fail when Redis is away', async () => {
    await at.rig.enqueue.push(taskJob('known'));
    let fault = new WritError('INTERNAL', 'its own');
    const enqueue = together({
      row: (taskId) => (taskId === 'bad' ? Promise.reject(fault) : at.rig.ledger.row(taskId)),
    });
    const push = () => Promise.allSettled(['bad', 'known', 'good'].map((id) => enqueue.push(taskJob(id))));
    expect((await push()).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    fault = new WritError('REDIS_UNAVAILABLE', 'away');
    expect((await push()).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});
