import { describe, expect, it } from 'vitest';
import { createEnqueue } from '../../../queues/enqueue.ts';
import { MAX_JOB_BYTES } from '../../../src/contracts/index.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { Ledger } from '../../../src/core/ports/index.ts';
import { commandCount } from '../../support/redis.ts';
import { taskJob, useQueueRig } from './fixture.ts';

const OTHER = { inputs: { source_path: '/another', destination_path: '/a/c' } };

describe('push', () => {
  const at = useQueueRig();

  it('adds a job that neither ledger nor queue knows, under an id of its own', async () => {
    const receipt = await at.rig.enqueue.push(taskJob('t'));
    expect(receipt).toEqual({ kind: 'accepted', taskId: 't', queue: at.rig.queueName, jobId: 't_t' });
    const job = await at.rig.fetch();
    expect(job).toMatchObject({ id: 't_t', name: 'FILE_MOVE', data: taskJob('t'), opts: { attempts: 1 } });
  });

  it('answers in-flight while the job waits, is delayed or runs', async () => {
    await at.rig.enqueue.push(taskJob('waiting'));
    expect(await at.rig.enqueue.push(taskJob('waiting', {}, 'another lease'))).toMatchObject({ kind: 'in-flight', jobId: 't_waiting' });
    const job = await at.rig.fetch();
    expect((await at.rig.enqueue.push(taskJob('waiting'))).kind).toBe('in-flight');
    await job.moveToDelayed(Date.now() + 60_000, 'test-token');
    expect((await at.rig.enqueue.push(taskJob('waiting'))).kind).toBe('in-flight');
    expect(await at.rig.enqueue.jobState('waiting')).toMatchObject({ state: 'delayed', data: taskJob('waiting') });
  });

  it('looks for a job without reading all that wait', async () => {
    await at.rig.enqueue.pushMany(Array.from({ length: 20 }, (_, n) => taskJob(`many-${n}`)));
    const redis = await at.server.client();
    await redis.config('RESETSTAT');
    expect((await at.rig.enqueue.push(taskJob('many-7'))).kind).toBe('in-flight');
    const stats = await redis.info('commandstats');
    expect([commandCount(stats, 'lrange'), commandCount(stats, 'lpos')]).toEqual([0, 2]);
  });

  it('answers conflict for other bytes, whether the row or only the waiting job has the id', async () => {
    await at.rig.enqueue.push(taskJob('queued'));
    expect(await at.rig.enqueue.push(taskJob('queued', OTHER))).toEqual({ kind: 'conflict', taskId: 'queued' });
    for (const status of ['SUCCESS', 'FAILURE'] as const) {
      await at.rig.record(taskJob(status), status);
      expect(await at.rig.enqueue.push(taskJob(status, OTHER))).toEqual({ kind: 'conflict', taskId: status });
    }
  });

  it('answers the stored result of a finished task, whatever BullMQ still knows', { tags: ['FE-38'] }, async () => {
    const gone = await at.rig.record(taskJob('gone'), 'SUCCESS');
    expect(await at.rig.enqueue.push(taskJob('gone'))).toEqual({ kind: 'finished', taskId: 'gone', result: gone });
    await at.rig.enqueue.push(taskJob('kept'));
    await at.rig.complete(await at.rig.fetch());
    const kept = await at.rig.record(taskJob('kept'), 'SUCCESS');
    expect(await at.rig.enqueue.push(taskJob('kept'))).toMatchObject({ kind: 'finished', result: kept });
    expect((await at.rig.queue.getWaiting()).length).toBe(0);
  });

  it('delays a job until its time and keeps its priority, alone and among others', async () => {
    const later = Date.now() + 3_600_000;
    await at.rig.enqueue.push(taskJob('later'), { notBefore: later });
    expect(await at.rig.enqueue.jobState('later')).toMatchObject({ state: 'delayed' });
    const job = await at.rig.queue.getJob('t_later');
    expect((job?.timestamp ?? 0) + (job?.opts.delay ?? 0)).toBeGreaterThanOrEqual(later);
    expect((await at.rig.enqueue.push(taskJob('later'))).kind).toBe('in-flight');
    await at.rig.enqueue.pushMany([taskJob('low-1'), taskJob('low-2')], { priority: 9 });
    await at.rig.enqueue.push(taskJob('high'), { priority: 2 });
    await at.rig.enqueue.push(taskJob('past'), { notBefore: 1 });
    const order = [];
    for (let left = 4; left > 0; left -= 1) {
      const fetched = await at.rig.fetch();
      order.push(fetched.id);
      await at.rig.complete(fetched);
    }
    expect(order).toEqual(['t_past', 't_high', 't_low-1', 't_low-2']);
    for (const wrong of [
      { priority: -1 },
      { priority: 2_097_153 },
      { priority: 1.5 },
      { notBefore: Date.now() + 367 * 86_400_000 },
      { notBefore: Number.NaN },
    ]) {
      await expect(at.rig.enqueue.push(taskJob('wrong'), wrong)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    }
  });

  it('runs a failed task again at the time of the new push', async () => {
    await at.rig.enqueue.push(taskJob('again'));
    await at.rig.fail(await at.rig.fetch());
    await at.rig.enqueue.push(taskJob('again', {}, 'lease-2'), { notBefore: Date.now() + 3_600_000 });
    expect(await at.rig.enqueue.jobState('again')).toMatchObject({ state: 'delayed', data: { lease: 'lease-2' } });
  });

  it('gives a failed job the new lease and its full budget, and runs it again', async () => {
    await at.rig.enqueue.push(taskJob('t'), { attempts: 3 });
    await at.rig.fail(await at.rig.fetch());
    const delayed = await at.rig.queue.getJob('t_t');
    await delayed?.promote();
    await at.rig.fail(await at.rig.fetch());
    await (await at.rig.queue.getJob('t_t'))?.promote();
    await at.rig.fail(await at.rig.fetch());
    expect(await at.rig.enqueue.jobState('t')).toMatchObject({ state: 'failed', attemptsMade: 3, failedReason: 'EXECUTION_FAILED: no' });

    await at.rig.record(taskJob('t'), 'FAILURE');
    expect((await at.rig.enqueue.push(taskJob('t', {}, 'lease-2'))).kind).toBe('retried');
    expect(await at.rig.fetch()).toMatchObject({ data: taskJob('t', {}, 'lease-2'), attemptsMade: 0, attemptsStarted: 1 });
  });

  it('gives a failed id that never reached the ledger to other bytes: a bad lease binds nothing', async () => {
    await at.rig.enqueue.push(taskJob('t'));
    await at.rig.fail(await at.rig.fetch(), 'INVALID_LEASE: no');
    expect((await at.rig.enqueue.push(taskJob('t', OTHER))).kind).toBe('retried');
    expect((await at.rig.fetch()).data).toEqual(taskJob('t', OTHER));
  });

  it('runs a completed job again when its row was lost', async () => {
    await at.rig.enqueue.push(taskJob('t'));
    await at.rig.complete(await at.rig.fetch());
    expect((await at.rig.enqueue.push(taskJob('t', {}, 'lease-2'))).kind).toBe('accepted');
    expect(await at.rig.fetch()).toMatchObject({ id: 't_t', data: taskJob('t', {}, 'lease-2') });
  });

  it('adds the job of a claim whose job BullMQ has lost', async () => {
    await at.rig.record(taskJob('failed'), 'FAILURE');
    expect((await at.rig.enqueue.push(taskJob('failed'))).kind).toBe('accepted');
  });

  it('forgets a pending cancel with the push that runs the task, not with one in flight', async () => {
    await at.rig.ledger.cancel('early', Date.now());
    await at.rig.enqueue.push(taskJob('early'));
    expect(await at.rig.ledger.row('early')).toBeUndefined();
    await at.rig.ledger.cancel('early', Date.now());
    expect((await at.rig.enqueue.push(taskJob('early'))).kind).toBe('in-flight');
    expect(await at.rig.ledger.row('early')).toMatchObject({ cancelRequested: true });

    await at.rig.fail(await at.rig.fetch());
    await at.rig.record(taskJob('early'), 'FAILURE');
    await at.rig.ledger.cancel('early', Date.now());
    expect((await at.rig.enqueue.push(taskJob('early'))).kind).toBe('retried');
    expect(await at.rig.ledger.row('early')).toMatchObject({ state: 'failure', cancelRequested: false });
  });

  it('makes one job of many pushes at once, new or failed', async () => {
    const kinds = async (): Promise<string[]> =>
      (await Promise.all(Array.from({ length: 12 }, () => at.rig.enqueue.push(taskJob('t'))))).map(({ kind }) => kind);
    await kinds();
    expect(await at.rig.queue.getJobCounts('waiting', 'active')).toEqual({ waiting: 1, active: 0 });
    await at.rig.fail(await at.rig.fetch());
    const again = await kinds();
    expect(again.filter((kind) => kind === 'retried')).toHaveLength(1);
    expect(again.filter((kind) => kind === 'in-flight')).toHaveLength(11);
    expect(await at.rig.queue.getJobCounts('waiting', 'failed')).toEqual({ waiting: 1, failed: 0 });
  });

  it('adds again what lies in no list of BullMQ', async () => {
    await at.rig.enqueue.push(taskJob('t'));
    const redis = await at.server.client();
    await redis.lrem(`{writ}:${at.rig.queueName}:wait`, 1, 't_t');
    expect((await at.rig.enqueue.push(taskJob('t'))).kind).toBe('accepted');
    expect((await at.rig.fetch()).id).toBe('t_t');
  });

  it('refuses a job that is too large, a budget that is none, and a queue that does not exist', async () => {
    const large = taskJob('t', { inputs: { source_path: 'x'.repeat(MAX_JOB_BYTES) } });
    await expect(at.rig.enqueue.push(large)).rejects.toMatchObject({ code: 'INVALID_MANIFEST', message: expect.stringContaining(String(MAX_JOB_BYTES)) });
    await expect(at.rig.enqueue.push(taskJob('t'), { attempts: 0 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'attempts' });
    for (const queue of ['tool', 'file@', 'file@default', 'file@a:b', 'file@UP']) {
      await expect(at.rig.enqueue.push(taskJob('t'), { queue })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', field: 'queue' });
    }
  });

  it('sends an unknown capability to the file executor, whose business the refusal is', { tags: ['FE-06'] }, async () => {
    expect(await at.rig.enqueue.push(taskJob('t', { capability_id: 'FILE_WRITE' }))).toMatchObject({ kind: 'accepted', queue: at.rig.queueName });
  });

  describe('retry', () => {
    it('runs a failed job again, with a new lease when it gets one, and forgets a pending cancel', async () => {
      await at.rig.enqueue.push(taskJob('t'));
      await at.rig.fail(await at.rig.fetch());
      await at.rig.record(taskJob('t'), 'FAILURE');
      await at.rig.ledger.cancel('t', Date.now());
      expect(await at.rig.enqueue.retry('t', { lease: 'lease-2' })).toEqual({ kind: 'retried' });
      expect(await at.rig.fetch()).toMatchObject({ data: taskJob('t', {}, 'lease-2'), attemptsMade: 0 });
      expect((await at.rig.ledger.row('t'))?.cancelRequested).toBe(false);
    });

    it('asks little of Redis for a failed job that the caller knows, and looks for one that has moved on', async () => {
      const known = { queue: at.rig.queueName, jobId: 't_t' };
      await at.rig.enqueue.push(taskJob('t'));
      await at.rig.fail(await at.rig.fetch());
      await at.rig.record(taskJob('t'), 'FAILURE');
      await at.rig.ledger.cancel('t', Date.now());
      const redis = await at.server.client();
      await redis.config('RESETSTAT');
      expect(await at.rig.enqueue.retry('t', known)).toEqual({ kind: 'retried' });
      expect(commandCount(await redis.info('commandstats'), 'hgetall')).toBe(0);
      expect((await at.rig.ledger.row('t'))?.cancelRequested).toBe(false);
      await at.rig.ledger.cancel('t', Date.now());
      expect(await at.rig.enqueue.retry('t', known)).toEqual({ kind: 'wrong-state', state: 'waiting' });
      expect((await at.rig.ledger.row('t'))?.cancelRequested).toBe(true);
      expect(await at.rig.fetch()).toMatchObject({ data: taskJob('t'), attemptsMade: 0 });
      expect(await at.rig.enqueue.retry('u', { ...known, jobId: 't_u' })).toEqual({ kind: 'not-found' });
    });

    it('says when there is no job, or it has not failed', async () => {
      expect(await at.rig.enqueue.retry('nothing')).toEqual({ kind: 'not-found' });
      expect(await at.rig.enqueue.jobState('nothing')).toBeUndefined();
      await at.rig.enqueue.push(taskJob('t'));
      expect(await at.rig.enqueue.retry('t')).toEqual({ kind: 'wrong-state', state: 'waiting' });
    });
  });

  describe('pushMany', () => {
    it('gives the receipts in order, of new, finished, failed, conflicting and repeated tasks', async () => {
      await at.rig.enqueue.push(taskJob('failed'));
      await at.rig.fail(await at.rig.fetch());
      await at.rig.record(taskJob('finished'), 'SUCCESS');
      const jobs = [
        taskJob('new-1'),
        taskJob('finished'),
        taskJob('failed'),
        taskJob('finished', OTHER),
        taskJob('new-2'),
        taskJob('new-1'),
        taskJob('new-2', OTHER),
      ];
      const receipts = await at.rig.enqueue.pushMany(jobs);
      expect(receipts.map(({ kind }) => kind)).toEqual(['accepted', 'finished', 'retried', 'conflict', 'accepted', 'in-flight', 'conflict']);
      expect(receipts.map(({ taskId }) => taskId)).toEqual(jobs.map(({ manifest }) => manifest.task_id));
    });

    it('answers what the ledger has finished from one look at all of it, and no look at the jobs', async () => {
      const jobs = Array.from({ length: 300 }, (_, n) => taskJob(`done-${n}`));
      const results = await Promise.all(jobs.map((job) => at.rig.record(job, 'SUCCESS')));
      const redis = await at.server.client();
      await redis.config('RESETSTAT');
      const receipts = await at.rig.enqueue.pushMany(jobs);
      expect(receipts).toEqual(jobs.map(({ manifest }, n) => ({ kind: 'finished', taskId: manifest.task_id, result: results[n] })));
      const calls = (await redis.info('commandstats')).match(/cmdstat_(exists|hgetall|hget|hmget|evalsha|zscore):calls=\d+/g)?.toSorted();
      expect(calls).toEqual(['cmdstat_exists:calls=302', 'cmdstat_hgetall:calls=300']);
    });

    it('adds what nobody knows after one question to the ledger and one to the queue, a hundred jobs a command', async () => {
      const redis = await at.server.client();
      await at.rig.enqueue.pushMany([taskJob('first')]);
      await redis.config('RESETSTAT');
      const jobs = Array.from({ length: 300 }, (_, n) => taskJob(`new-${n}`));
      expect((await at.rig.enqueue.pushMany(jobs)).every(({ kind }) => kind === 'accepted')).toBe(true);
      const stats = await redis.info('commandstats');
      const calls = (name: string): number => Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
      // BullMQ's script asks once for each id as well.
      expect([calls('exists'), calls('hgetall'), calls('eval') + calls('evalsha')]).toEqual([302, 0, 3]);
      expect(await at.rig.queue.getWaitingCount()).toBe(301);
      expect((await at.rig.queue.getJobs(['waiting'], 0, -1, true)).slice(1).map(({ data }) => data)).toEqual(jobs);
    });

    it('looks at known tasks together: as many round trips for three hundred as for three', async () => {
      const jobs = Array.from({ length: 300 }, (_, n) => taskJob(`t-${n}`));
      await at.rig.enqueue.pushMany(jobs);
      let asking = 0;
      let rounds = 0;
      const row: Ledger['row'] = async (taskId) => {
        rounds += asking === 0 ? 1 : 0;
        asking += 1;
        const found = await at.rig.ledger.row(taskId);
        asking -= 1;
        return found;
      };
      const connection = await at.server.client('producer');
      const enqueue = createEnqueue({
        connection,
        ledger: { ...at.rig.ledger, row },
        results: at.rig.results,
        clock: systemClock,
        pool: at.rig.queueName.split('@')[1] ?? '',
      });
      const receipts = await enqueue.pushMany(jobs);
      expect(new Set(receipts.map(({ kind }) => kind))).toEqual(new Set(['in-flight']));
      expect(rounds).toBeLessThanOrEqual(4);
      await enqueue.close();
    });

    it('adds several chunks', async () => {
      const receipts = await at.rig.enqueue.pushMany(Array.from({ length: 1201 }, (_, n) => taskJob(`t-${n}`)));
      expect(new Set(receipts.map(({ kind }) => kind))).toEqual(new Set(['accepted']));
      expect(await at.rig.queue.getJobCounts('waiting')).toEqual({ waiting: 1201 });
    });
  });
});
