import { expect, it } from 'vitest';
import { connected, createConnection } from '../../../queues/connection.ts';
import { createPlanJobs } from '../../../queues/plan-jobs.ts';
import { withRedis } from '../../support/redis.ts';

const ID = 'a'.repeat(64);

it('says that Redis is away, and not that no plan waits or has a job', async () => {
  await withRedis(async (redis) => {
    const connection = await connected(createConnection(redis.target(), 'producer'));
    const jobs = createPlanJobs({ connection, pool: 'main' });
    await jobs.add(ID, { v: 1, envelope: {}, lease: 'l' });
    expect([await jobs.open(10), await jobs.exists([ID, 'b'.repeat(64)])]).toEqual([[ID], [true, false]]);
    await redis.kill();
    await expect(jobs.open(10)).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    await expect(jobs.exists([ID])).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    await jobs.close();
    connection.disconnect();
  });
});
