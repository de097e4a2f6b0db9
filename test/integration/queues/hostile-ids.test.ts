import { QueueKeys } from 'bullmq';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { TaskId } from '../../../src/contracts/index.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { type QueueRig, queueRig, taskJob } from './fixture.ts';

/** Every name that BullMQ uses below a queue, and ids that it treats as numbers. */
const HOSTILE = [
  ...Object.keys(new QueueKeys(QUEUE_PREFIX).getKeys('file')).filter((suffix) => suffix !== ''),
  ...['metrics', 'metrics.completed', 'metrics.failed', 'lock', 'logs', 'dependencies', 'processed', 'unsuccessful', 'priority', 'sc', 'groups', 'rate-limit'],
  ...['0', '1', '007', '123', '99999999999999999999999', '1e3', 't_wait', 'wait.lock', 'constructor', '__proto__'.slice(2), 'toString'],
];

describe('task ids that are names of BullMQ keys', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  it('are legal task ids, so they must be harmless', () => {
    for (const id of HOSTILE) expect(TaskId.safeParse(id).success, id).toBe(true);
    expect(HOSTILE).toEqual(expect.arrayContaining(['wait', 'active', 'meta', 'id', 'marker', 'events', 'pc', 'de', 'stalled-check', 'limiter']));
  });

  for (const [state, prepare] of Object.entries({
    'an empty queue': async () => undefined,
    async 'a live queue'({ enqueue, fetch, fail, complete }: QueueRig) {
      await enqueue.pushMany(Array.from({ length: 5 }, (_, n) => taskJob(`live-${n}`)));
      await complete(await fetch());
      await fail(await fetch());
      await fetch();
    },
    async 'a paused queue'({ enqueue, queue }: QueueRig) {
      await enqueue.push(taskJob('before'));
      await queue.pause();
    },
  })) {
    it(`run on ${state}, each exactly once`, async () => {
      await server.flushAll();
      await using rig = await queueRig(server);
      await prepare(rig);
      const already = (await rig.queue.getJobCounts('waiting'))['waiting'] ?? 0;
      for (const id of HOSTILE) expect((await rig.enqueue.push(taskJob(id))).kind, id).toBe('accepted');
      for (const id of HOSTILE) expect((await rig.enqueue.push(taskJob(id))).kind, id).toBe('in-flight');
      await rig.queue.resume();

      const seen = new Map<string, number>();
      for (let n = 0; n < HOSTILE.length + already; n += 1) {
        const job = await rig.fetch();
        const id = job.data.manifest.task_id;
        seen.set(id, (seen.get(id) ?? 0) + 1);
        await (n % 2 === 0 ? rig.complete(job) : rig.fail(job));
      }
      for (const id of HOSTILE) expect(seen.get(id), id).toBe(1);
      expect(await rig.queue.getJobCounts('waiting', 'delayed')).toEqual({ waiting: 0, delayed: 0 });
      // Ledger rows and refusals with such ids stay apart as well.
      const results = new Map<string, string>();
      for (const id of HOSTILE) {
        results.set(id, await rig.record(taskJob(id), 'SUCCESS'));
        await rig.ledger.refuse(id, `file:${id}`, 'no');
      }
      for (const id of HOSTILE) expect(await rig.enqueue.push(taskJob(id))).toMatchObject({ kind: 'finished', result: results.get(id) });
    });
  }
});
