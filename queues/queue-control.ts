import type { Queue } from 'bullmq';
import { redisCall } from '../src/adapters/redis/redis-error.ts';
import { WritError } from '../src/core/errors.ts';
import { type Finding, passed, warning } from '../src/core/findings.ts';
import type { QueueControl } from '../src/core/ports/index.ts';
import { queueName } from './catalog.ts';
import { findJob } from './job-lookup.ts';
import { planJobId } from './plan-jobs.ts';
import { closePoolQueues, openPoolQueues, type PoolQueuesOptions } from './pool-queues.ts';
import { poolFigures } from './queue-status.ts';

/**
 * Pauses and resumes the queues of a pool. BullMQ keeps the state in Redis, where every worker of the queue sees it: a
 * paused queue stays so until somebody resumes it. Shards follow one another; cut off in the middle, the same call again
 * brings the rest along.
 */
export function createQueueControl(options: PoolQueuesOptions): QueueControl & AsyncDisposable {
  const queues = openPoolQueues(options);
  return {
    list: () => poolFigures(queues, options.connection),
    paused: () =>
      redisCall(async () => {
        const looks = await Promise.all(
          queues.map(async ({ name, shards }) => ((await Promise.all(shards.map((shard) => shard.isPaused()))).includes(true) ? [name] : [])),
        );
        return looks.flat();
      }),
    pausedAround: (planId) =>
      redisCall(async () => {
        const plans = queues.find(({ name }) => name === queueName('plan', options.pool));
        for (const shard of plans?.shards ?? []) {
          const found = await findJob(shard, options.connection, planJobId(planId));
          if (found !== undefined) return found.state === 'waiting' && (await shard.isPaused()) ? plans?.name : undefined;
        }
        return undefined;
      }),
    async set(name, action) {
      const queue = queues.find((one) => one.name === name);
      if (queue === undefined) {
        throw new WritError('NOT_FOUND', `this pool has no queue ${JSON.stringify(name)}; it has ${queues.map((one) => one.name).join(', ')}`, {
          field: 'queue',
        });
      }
      const paused = action === 'pause';
      let changed = false;
      for (const shard of queue.shards) changed = (await redisCall(() => switched(shard, paused))) || changed;
      return { queue: name, paused, changed };
    },
    [Symbol.asyncDispose]: () => closePoolQueues(queues),
  };
}

/** Whether it was otherwise before. BullMQ moves the waiting jobs to another list, so what is so already is left alone. */
async function switched(shard: Queue, paused: boolean): Promise<boolean> {
  if ((await shard.isPaused()) === paused) return false;
  await (paused ? shard.pause() : shard.resume());
  return true;
}

/** What `writ doctor` says of paused queues; closes the control. Throws WritError REDIS_UNAVAILABLE. */
export async function pausedFinding(control: QueueControl & AsyncDisposable): Promise<Finding> {
  try {
    const paused = await control.paused();
    if (paused.length === 0) return passed('none is paused');
    return warning(`paused: ${paused.join(', ')}`, paused.map((name) => `run \`writ queue resume ${name}\``).join('; '));
  } finally {
    await control[Symbol.asyncDispose]();
  }
}
