import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryChannels } from '../../src/adapters/memory/signals.ts';
import { planKey } from '../../src/adapters/redis/keys.ts';
import { createRedisPlanViews } from '../../src/adapters/redis/plan-views.ts';
import type { PlanViews } from '../../src/core/ports/index.ts';
import { PlanViewsTwin } from '../simulation/twins/plan-views.ts';
import { cases } from '../support/oracle-runs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { agree, planViewsConformance } from './plan-views.ts';

const NOW = 1_900_000_000_000;
let server: TestRedis;
let redis: Redis;
let views: PlanViews;
beforeAll(async () => {
  server = await startTestRedis();
  redis = await server.client();
});
afterAll(() => server.stop());
beforeEach(() => {
  views = createRedisPlanViews({ redis, retentionMs: 60_000 });
});

describe('plan views in Redis', () => {
  planViewsConformance(() => views);

  it('do what the twin of the simulation does, whatever the calls', () => agree(views, new PlanViewsTwin(createMemoryChannels()).port(), cases(200)));

  it('believe no row that somebody else has written, and are not held up by one', async () => {
    const id = 'f'.repeat(64);
    const end = { state: 'success', generation: 0, stepsDone: 1, current: undefined, error: undefined, result: '{}' } as const;
    for (const forged of [
      { generation: 'x', state: 'success' },
      { generation: '-1', state: 'failure' },
      { generation: '1e300', state: 'success' },
    ]) {
      await redis.hset(planKey(id), forged);
      await views.show(id, end, 1_900_003_600, NOW);
      expect(await views.read(id)).toMatchObject({ state: 'success', stepsDone: 1 });
      await redis.del(planKey(id));
    }
    for (const updated of ['', 'inf', '1e3', '-5', 'x', '99999999999999999999']) {
      await redis.hset(planKey(id), { state: 'success', updated });
      const seen = await views.read(id);
      expect([updated, seen?.updated, await views.open(id, seen, 0, NOW)]).toEqual([updated, 0, true]);
    }
    for (const overwrite of [() => views.open(id, undefined, 0, NOW), () => views.show(id, end, 1_900_003_600, NOW)]) {
      await redis.del(planKey(id));
      await redis.lpush(planKey(id), 'no view');
      await overwrite();
      expect(await views.read(id)).toBeDefined();
    }
  });
});
