import { once } from 'node:events';
import { Worker } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { QUEUE_PREFIX, workerOptions } from '../../../queues/catalog.ts';
import { createPlanJobs } from '../../../queues/plan-jobs.ts';
import { createQueueControl } from '../../../queues/queue-control.ts';
import { queueShards } from '../../../queues/shards.ts';
import { taskJob, useQueueRig } from './fixture.ts';

describe('the switch of a queue', () => {
  const at = useQueueRig();
  const poolOf = (queueName: string): string => queueName.slice('file@'.length);
  const control = () => createQueueControl({ connection: at.rig.connection, pool: poolOf(at.rig.queueName) });

  it('holds the jobs of a paused queue back from every worker, and takes pushes meanwhile', async () => {
    await using queues = control();
    const { enqueue, queueName } = at.rig;
    await enqueue.push(taskJob('before'));
    expect(await queues.set(queueName, 'pause')).toEqual({ queue: queueName, paused: true, changed: true });
    expect(await enqueue.push(taskJob('after'))).toMatchObject({ kind: 'accepted' });
    expect(await queues.paused()).toEqual([queueName]);
    expect((await queues.list()).find(({ queue }) => queue === queueName)).toMatchObject({ paused: true, waiting: 2 });
    expect(await enqueue.jobState('after')).toMatchObject({ state: 'waiting', queuePaused: true });
    await expect(at.rig.fetch()).rejects.toThrow('no job waits');

    expect(await queues.set(queueName, 'resume')).toEqual({ queue: queueName, paused: false, changed: true });
    expect(await enqueue.jobState('after')).not.toHaveProperty('queuePaused');
    const taken = [await at.rig.fetch(), await at.rig.fetch()].map(({ id }) => id);
    expect(taken.sort()).toEqual(['t_after', 't_before']);
  });

  it('tells of a plan that waits in the paused queue of plans, and of no other', async () => {
    await using queues = control();
    const jobs = createPlanJobs({ connection: at.rig.connection, pool: poolOf(at.rig.queueName) });
    const [waits, later] = ['a'.repeat(64), 'b'.repeat(64)];
    await jobs.add(waits, { v: 1, envelope: {}, lease: 'l' });
    await jobs.add(later, { v: 1, envelope: {}, lease: 'l' }, { delay: 3_600_000 });
    expect(await queues.pausedAround(waits)).toBeUndefined();
    await queues.set(jobs.queue, 'pause');
    expect(await queues.pausedAround(waits)).toBe(jobs.queue);
    expect(await queues.pausedAround(later)).toBeUndefined();
    expect(await queues.pausedAround('c'.repeat(64))).toBeUndefined();
    await queues.set(jobs.queue, 'resume');
    expect(await queues.pausedAround(waits)).toBeUndefined();
    await jobs.close();
  });

  it('wakes workers that wait at the queue when it is resumed', async () => {
    await using queues = control();
    const { queueName } = at.rig;
    await queues.set(queueName, 'pause');
    const worker = new Worker(queueName, async () => 'done', {
      ...workerOptions({ lockMs: 30_000, renewMs: 10_000, stalledMs: 30_000 }, 1),
      connection: await at.server.client('worker'),
      prefix: QUEUE_PREFIX,
    });
    worker.on('error', () => undefined);
    await worker.waitUntilReady();
    await at.rig.enqueue.push(taskJob('held'));
    const done = once(worker, 'completed');
    await queues.set(queueName, 'resume');
    await done;
    await worker.close();
  });

  it.each(['pause', 'resume'] as const)('may %s twice: the second time nothing changes and no job moves', async (action) => {
    await using queues = control();
    const { enqueue, queueName } = at.rig;
    await enqueue.push(taskJob('one'));
    await queues.set(queueName, action);
    await enqueue.push(taskJob('two'));
    expect(await queues.set(queueName, action)).toMatchObject({ paused: action === 'pause', changed: false });
    expect((await queues.list()).find(({ queue }) => queue === queueName)).toMatchObject({ waiting: 2 });
    await queues.set(queueName, 'resume');
  });

  it('reaches every shard, and brings the rest along where it was cut off', async () => {
    const { connection, queueName } = at.rig;
    const shards = queueShards({ shards: 3, earlier_shards: [] });
    await using queues = createQueueControl({ connection, pool: poolOf(queueName), shards });
    const isHeld = () => Promise.all(shards.all.map((prefix) => connection.hexists(`${prefix}:${queueName}:meta`, 'paused')));
    // As a call that died after the first shard leaves it.
    await connection.hset(`${shards.all[0]}:${queueName}:meta`, 'paused', 1);
    expect(await queues.paused()).toEqual([queueName]);
    expect(await queues.set(queueName, 'pause')).toMatchObject({ changed: true });
    expect(await isHeld()).toEqual([1, 1, 1]);
    await queues.set(queueName, 'resume');
    expect(await isHeld()).toEqual([0, 0, 0]);
  });

  it('names the queues that there are when it is asked for another one, and touches nothing', async () => {
    await using queues = control();
    const before = await at.rig.connection.dbsize();
    await expect(queues.set('fiel', 'pause')).rejects.toMatchObject({ code: 'NOT_FOUND', field: 'queue', message: expect.stringContaining(at.rig.queueName) });
    expect(await at.rig.connection.dbsize()).toBe(before);
  });
});
