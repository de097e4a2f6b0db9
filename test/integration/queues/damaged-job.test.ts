import { describe, expect, it } from 'vitest';
import { QUEUE_PREFIX } from '../../../queues/catalog.ts';
import { taskJob, useQueueRig } from './fixture.ts';

describe('a job hash that somebody wrote by hand and that is no JSON', () => {
  const at = useQueueRig();

  const damage = async (taskId: string, field: 'data' | 'opts'): Promise<string> => {
    const redis = await at.server.client();
    const key = `${QUEUE_PREFIX}:${at.rig.queueName}:t_${taskId}`;
    await redis.hset(key, field, '{not json');
    return key;
  };

  it.each(['data', 'opts'] as const)('is shown with its raw data when its %s cannot be read', async (field) => {
    await damage('x', field);
    expect(await at.rig.enqueue.jobState('x')).toMatchObject({ state: 'absent', jobId: 't_x', data: field === 'data' ? '{not json' : '' });
  });

  it.each(['data', 'opts'] as const)('is replaced by a push when it stands in no list and its %s cannot be read', async (field) => {
    await damage('x', field);
    expect(await at.rig.enqueue.push(taskJob('x'))).toMatchObject({ kind: 'accepted' });
    expect((await at.rig.fetch()).data).toEqual(taskJob('x'));
  });

  it('holds the id while it waits, as another manifest would', async () => {
    await at.rig.enqueue.push(taskJob('x'));
    await damage('x', 'data');
    expect(await at.rig.enqueue.push(taskJob('x'))).toEqual({ kind: 'conflict', taskId: 'x' });
    expect(await at.rig.enqueue.pushMany([taskJob('x'), taskJob('y')])).toMatchObject([{ kind: 'conflict' }, { kind: 'accepted' }]);
  });

  it('is replaced by a push when it has failed', async () => {
    await at.rig.enqueue.push(taskJob('x'));
    await at.rig.fail(await at.rig.fetch());
    await damage('x', 'data');
    expect(await at.rig.enqueue.push(taskJob('x'))).toMatchObject({ kind: 'accepted' });
    expect(await at.rig.enqueue.jobState('x')).toMatchObject({ state: 'waiting', data: taskJob('x') });
  });
});
