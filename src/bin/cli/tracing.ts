import type { Config } from '../../../config/schema.ts';
import { queueOfJob } from '../../../queues/audience.ts';
import { queueName } from '../../../queues/catalog.ts';
import type { TaskJob } from '../../contracts/index.ts';
import type { Enqueue, Plans } from '../../core/ports/index.ts';
import { observePushes, tracePlanPushes } from '../../observability/pushes.ts';
import { traceRole } from '../tracing.ts';

/** Pushes of one command, with spans. What the collector has not taken when the command ends is lost, after `tracing.timeout_ms` at most. */
export interface TracedPushes extends AsyncDisposable {
  tasks(enqueue: Enqueue): Enqueue;
  plans(plans: Plans): Plans;
}

export async function openTracedPushes(config: Config): Promise<TracedPushes> {
  const pool = config.pool.id;
  const { tracer, part } = await traceRole({ config, role: 'cli', log: undefined, metrics: undefined });
  await part.start();
  const trace = { tracer, queueOf: (job: TaskJob) => queueOfJob(job, pool), prefer: 'job' } as const;
  return {
    tasks: (enqueue) => observePushes(enqueue, { trace }),
    plans: (plans) => tracePlanPushes(plans, queueName('plan', pool), tracer),
    [Symbol.asyncDispose]: () => part.stop(),
  };
}
