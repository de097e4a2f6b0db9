import { createPlans } from '../../../queues/plans.ts';
import { createPlanEndReader, fixedKeyring } from '../../../src/lease/index.ts';
import type { FiredPlans } from '../../../src/surfaces/shared/plans/plan-firings.ts';
import type { Parts } from '../parts.ts';
import type { SimProcess } from '../scheduler.ts';
import { EXECUTOR_KEY } from '../tasks.ts';
import { cheapEd25519 } from '../twins/crypto.ts';
import { planJobsFor } from '../twins/plans.ts';
import { remote } from '../world.ts';

/** The way of firings that are plans, out of one process of the kernel: the product's, on the twins of queue and views. */
export function planWaysFor({ world, redis }: Pick<Parts, 'world' | 'redis'>, process: SimProcess): FiredPlans {
  const jobs = planJobsFor(world, process, redis);
  const ends = createPlanEndReader({ keyring: fixedKeyring([EXECUTOR_KEY]), ed25519: cheapEd25519 });
  const plans = createPlans({ jobs, views: remote(world, process, 'redis', 'views', redis.views.port()), ends, clock: process.clock });
  return { ...plans, jobState: async (planId) => (await jobs.find(planId))?.state ?? 'absent' };
}
