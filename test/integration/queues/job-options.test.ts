import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Job, type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_ATTEMPTS, QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { boundedOptions, optionsFault } from '../../../queues/job-options.ts';
import { PATIENCE } from '../../support/patience.ts';
import { manifestOf, type Rig, startRig } from '../../support/rig.ts';

/** What BullMQ itself fails over when such a job ends, and what it is told instead. */
const BAD: readonly (readonly [string, object, RegExp])[] = [
  ['a backoff of a type that nobody knows', { attempts: 3, backoff: { type: 'nosuch', delay: 5 } }, /backoff of the options must be/],
  ['a backoff without a type', { attempts: 3, backoff: { delay: 5 } }, /backoff of the options must be/],
  ['a backoff of the type of every object', { attempts: 3, backoff: { type: 'constructor', delay: 5 } }, /backoff of the options must be/],
  ['a backoff by a name', { attempts: 3, backoff: 'exponential' }, /backoff of the options must be/],
  ['a pause that is no number', { attempts: 3, backoff: { type: 'fixed', delay: 'x' } }, /backoff of the options must be/],
  ['attempts that are no number', { attempts: {} }, /attempts of the options must be a number/],
  ['nothing to say how long it is kept', { removeOnFail: null }, /removeOnFail of the options must be/],
  ['an age that is no number', { removeOnComplete: { age: 'x' } }, /removeOnComplete of the options must be/],
  ['a count beyond all numbers', { removeOnComplete: { age: 1, count: 1e300 } }, /removeOnComplete of the options must be/],
  ['a repetition that is none', { repeatJobKey: 'x' }, /repeat of the options is missing/],
];
const GOOD: readonly object[] = [
  {},
  { attempts: 3 },
  { attempts: '3', backoff: null },
  { attempts: 3, backoff: 5 },
  { attempts: 3, backoff: { type: 'exponential', delay: 1, jitter: 0.5 } },
  { removeOnComplete: true, removeOnFail: 5 },
  { removeOnComplete: { age: 5 }, removeOnFail: { count: 5 } },
  { priority: 'x', lifo: 1, stackTraceLimit: 'x', anything: {} },
];

describe('the options of a job of a raw producer', () => {
  let rig: Rig;
  let redis: Redis;
  let queue: Queue;
  beforeAll(async () => {
    rig = await startRig();
    redis = await rig.redis.client('worker');
    queue = new Queue('file', { connection: redis, prefix: QUEUE_PREFIX });
    await rig.startWorker();
  });
  afterAll(async () => {
    await queue.close();
    await rig.stop();
  });

  /** A job that is valid but for its options, which stand in its hash before a worker may see it. */
  async function pushWith(options: object): Promise<{ job: Job; destination: string }> {
    const source = path.join(rig.base, `${Math.random()}`);
    writeFileSync(source, 'x');
    const manifest = manifestOf('FILE_COPY', source, `${source}.copy`);
    const data = { v: 1, manifest, lease: await rig.lease(manifest) };
    const job = await queue.add('FILE_COPY', data, { delay: 3_600_000 });
    await redis.hset(`${QUEUE_PREFIX}:file:${job.id}`, 'opts', JSON.stringify(options));
    await job.promote();
    return { job, destination: `${source}.copy` };
  }

  it.each(BAD)('is refused where BullMQ could not end the job: %s', async (_, options, why) => {
    const { job, destination } = await pushWith(options);
    await expect.poll(async () => (await queue.getJob(job.id ?? ''))?.failedReason, PATIENCE).toMatch(why);
    expect(await redis.hgetall(`${QUEUE_PREFIX}:file:${job.id}`)).toMatchObject({ failedReason: expect.stringMatching(/^INVALID_MANIFEST: job: /), ats: '1' });
    expect(existsSync(destination)).toBe(false);
  });

  it.each(GOOD)('is as BullMQ takes it: %j', async (options) => {
    expect(optionsFault(options)).toBeUndefined();
    const { job, destination } = await pushWith(options);
    await expect.poll(() => existsSync(destination), PATIENCE).toBe(true);
    await expect.poll(async () => (await job.getState()) as string, PATIENCE).toMatch(/^(?:completed|unknown)$/);
  });

  it.each<[string, JobsOptions, JobsOptions]>([
    ['attempts', { attempts: 1e308, backoff: 5 }, { attempts: MAX_ATTEMPTS, backoff: 5 }],
    ['a pause', { attempts: 3, backoff: 1e300 }, { attempts: 3, backoff: { type: 'fixed', delay: 604_800_000 } }],
    ['a pause that grows', { attempts: 90, backoff: { type: 'exponential', delay: 1000 } }, { attempts: 90, backoff: { type: 'fixed', delay: 604_800_000 } }],
    ['nothing of a single attempt', { attempts: 1, backoff: 1e300 }, { attempts: 1, backoff: 1e300 }],
  ])('has a bound: %s', (_, options, bounded) => {
    expect(boundedOptions(options, 40)).toEqual(bounded);
  });
});
