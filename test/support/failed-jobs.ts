import type { Redis } from 'ioredis';
import { QUEUE_PREFIX } from '../../queues/catalog.ts';

const PORTION = 2000;

/** Writes failed jobs straight into BullMQ's keys, as a long life of failures leaves them; no events. */
export async function writeFailedJobs(redis: Redis, count: number, { padding = 0 } = {}): Promise<void> {
  for (let start = 0; start < count; start += PORTION) {
    const pipeline = redis.pipeline();
    for (let n = start; n < Math.min(count, start + PORTION); n += 1) {
      const taskId = `failed-${n}`;
      const inputs = { source_path: `/in/${n % 100}/${n}${'x'.repeat(padding)}`, destination_path: `/out/${n}` };
      const data = JSON.stringify({ v: 1, manifest: { task_id: taskId, capability_id: 'FILE_MOVE', inputs, constraints: {} } });
      const at = 1_767_225_600_000 + n;
      const reason = n % 2 === 0 ? 'EXECUTION_FAILED: the source is gone' : 'LEASE_EXPIRED: too late';
      pipeline.hset(`${QUEUE_PREFIX}:file:t_${taskId}`, {
        name: 'FILE_MOVE',
        data,
        opts: '{}',
        timestamp: at,
        processedOn: at,
        finishedOn: at,
        atm: 1,
        failedReason: reason,
      });
      pipeline.zadd(`${QUEUE_PREFIX}:file:failed`, at, `t_${taskId}`);
    }
    await pipeline.exec();
  }
}
