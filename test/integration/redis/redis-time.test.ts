import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConnection } from '../../../queues/connection.ts';
import { redisTime } from '../../../src/adapters/redis/redis-time.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

describe('the time of Redis', () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await startTestRedis();
  });
  afterAll(() => server.stop());

  it('is what its server says, in milliseconds, also on a connection that is only being made', async () => {
    const redis = await server.client();
    const seconds = async (): Promise<number> => Number((await redis.time())[0]);
    const before = await seconds();
    const fresh = createConnection(server.target(), 'producer');
    const now = await redisTime(fresh);
    fresh.disconnect();
    expect(now).toBeGreaterThanOrEqual(before * 1000);
    expect(now).toBeLessThan(((await seconds()) + 1) * 1000);
  });

  it('is REDIS_UNAVAILABLE while nobody answers', async () => {
    const redis = await server.client('producer');
    await server.kill();
    await expect(redisTime(redis)).rejects.toMatchObject({ code: 'REDIS_UNAVAILABLE' });
    await server.restart();
  });
});
