import { createPlanJobs } from '../../../queues/plan-jobs.ts';
import { createPlans } from '../../../queues/plans.ts';
import { createRedisPlanViews } from '../../adapters/redis/plan-views.ts';
import { rememberedPlanEnd } from '../../adapters/sqlite/plan-journal/plan-end-memory.ts';
import { createPlanHistories } from '../../adapters/sqlite/plan-journal/plan-histories.ts';
import { systemClock } from '../../core/clock.ts';
import type { PlanEndReader, Plans } from '../../core/ports/index.ts';
import type { FiredPlans } from '../../surfaces/shared/plans/plan-firings.ts';
import { type ProducerWiring, sharding } from '../producer-side.ts';
import { memoryGuard } from '../redis-target.ts';

/** The plan queue and the views of plans, for a process that pushes plans. */
export function openPlanSide({
  config,
  places,
  connection,
  results,
  signals,
}: Omit<ProducerWiring, 'results'> & { readonly results: PlanEndReader }): Plans & FiredPlans & AsyncDisposable {
  const jobs = createPlanJobs({ connection, pool: config.pool.id, ...sharding(config, connection) });
  const views = createRedisPlanViews({
    redis: connection,
    retentionMs: config.ledger.retention_s * 1000,
    listen: async (id, listener) => (await signals()).onRecorded(id, listener),
  });
  const remembered = (id: string): string | undefined => rememberedPlanEnd(places.planJournal, id);
  const histories = createPlanHistories(places.planJournal);
  const plans = createPlans({ jobs, views, ends: results, remembered, histories, clock: systemClock, guard: memoryGuard(config, connection) });
  return { ...plans, jobState: async (planId) => (await jobs.find(planId))?.state ?? 'absent', [Symbol.asyncDispose]: () => jobs.close() };
}
