import { createPlanJobs } from '../../../queues/plan-jobs.ts';
import { createPlans } from '../../../queues/plans.ts';
import { createRedisPlanViews } from '../../adapters/redis/plan-views.ts';
import { createMemoryGuard } from '../../adapters/redis/policy.ts';
import { createRedisSignals } from '../../adapters/redis/signals.ts';
import { systemClock } from '../../core/clock.ts';
import type { Plans } from '../../core/ports/index.ts';
import { sharding } from '../sharding.ts';
import type { CliRedis } from './redis.ts';
import type { CliSettings } from './settings.ts';

/** The plan queue and the views of plans, for one command. */
export async function openPlans({ loaded }: CliSettings, redis: CliRedis): Promise<Plans & AsyncDisposable> {
  const { config } = loaded;
  const connection = await redis.connection('producer');
  const jobs = createPlanJobs({ connection, pool: config.pool.id, ...sharding(config, connection) });
  const views = createRedisPlanViews({
    redis: connection,
    retentionMs: config.ledger.retention_s * 1000,
    listen: async (id, listener) => (await createRedisSignals(await redis.connection('subscriber'))).onRecorded(id, listener),
  });
  const guard = createMemoryGuard(connection, { highWater: config.redis.high_water, limitBytes: 0 }, systemClock);
  const plans = createPlans({ jobs, views, clock: systemClock, guard });
  return { ...plans, [Symbol.asyncDispose]: () => jobs.close() };
}
