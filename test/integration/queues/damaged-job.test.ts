import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { type QueueRig, queueRig, taskJob } from './fixture.ts';

describe('a job hash that somebody wrote by hand and that is no JSON', () => {
  let server: TestRedis;
  let rig: QueueRig;
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await server.flushAll();
    rig = await queueRig(server);
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  const damage = async (taskId: string, field: 'data' | 'opts'): Promise<string> => {
    const redis = await server.client();
    const key = `${QUEUE_PREFIX}:${rig.queueName}:t_${taskId}`;
    await redis.hset(key, field, '{not json');
    return key;
  };

  it.each(['data', 'opts'] as const)('is shown with its raw data when its %s cannot be read', async (field) => {
    await damage('x', field);
    expect(await rig.enqueue.jobState('x')).toMatchObject({ state: 'absent', jobId: 't_x', data: field === 'data' ? '{not json' : '' });
  });

  it.each(['data', 'opts'] as const)('is replaced by a push when it stands in no list and its %s cannot be read', async (field) => {
    await damage('x', field);
    expect(await rig.enqueue.push(taskJob('x'))).toMatchObject({ kind: 'accepted' });
    expect((await rig.fetch()).data).toEqual(taskJob('x'));
  });

  it('holds the id while it waits, as another manifest would', async () => {
    await rig.enqueue.push(taskJob('x'));
    await damage('x', 'data');
    expect(await rig.enqueue.push(taskJob('x'))).toEqual({ kind: 'conflict', taskId: 'x' });
    expect(await rig.enqueue.pushMany([taskJob('x'), taskJob('y')])).toMatchObject([{ kind: 'conflict' }, { kind: 'accepted' }]);
  });

  it('is replaced by a push when it has failed', async () => {
    await rig.enqueue.push(taskJob('x'));
    await rig.fail(await rig.fetch());
    await damage('x', 'data');
    expect(await rig.enqueue.push(taskJob('x'))).toMatchObject({ kind: 'accepted' });
    expect(await rig.enqueue.jobState('x')).toMatchObject({ state: 'waiting', data: taskJob('x') });
  });
});
