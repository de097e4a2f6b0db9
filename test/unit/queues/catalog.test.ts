import { describe, expect, it } from 'vitest';
import { isQueueName, jobOptions, LOCK_TIMES, queueName, queueOf, taskQueues, workerOptions } from '../../../queues/catalog.ts';

describe('the catalog of queues', () => {
  it('gives the default pool bare names and every other pool its own', () => {
    expect(queueName('file', 'default')).toBe('file');
    expect(queueName('search', 'north')).toBe('search@north');
    expect(taskQueues('north')).toContain('file@north');
    expect(queueOf('FILE_COPY', 'north')).toBe('file@north');
    expect(queueOf('constructor', 'default')).toBe('file');
  });

  it('knows a queue name when it sees one', () => {
    expect(['file', 'plan', 'search@a-1', 'file@north'].every(isQueueName)).toBe(true);
    expect(['', 'files', 'file@', 'file@default', 'file@North', 'file@a@b', 'file:x', ' file', `file@${'a'.repeat(33)}`].some(isQueueName)).toBe(false);
  });

  it('finds a killed worker well within 20 s, and never lets BullMQ end a task by itself', () => {
    expect(LOCK_TIMES.lockMs + LOCK_TIMES.stalledMs).toBeLessThanOrEqual(12_000);
    expect(LOCK_TIMES.renewMs * 2).toBeLessThanOrEqual(LOCK_TIMES.lockMs);
    expect(workerOptions(LOCK_TIMES, 8)).toMatchObject({ prefix: '{writ}', concurrency: 8, lockDuration: 9000, maxStalledCount: 1000 });
  });

  it('keeps failed jobs for 7 days, and waits between tries only where there are several', () => {
    expect(jobOptions('t_x', 1)).toEqual({ jobId: 't_x', attempts: 1, removeOnComplete: { age: 3600, count: 1000 }, removeOnFail: { age: 604_800 } });
    expect(jobOptions('t_x', 3).backoff).toEqual({ type: 'exponential', delay: 1000 });
  });
});
