import type { Config } from '../../../config/schema.ts';
import { queueName, queueOf } from '../../../queues/catalog.ts';
import type { Plans, TaskGateway } from '../../core/ports/index.ts';
import { tracePlanPushes, tracePushes } from '../../observability/tracing/pushes.ts';
import { openTracing } from '../tracing.ts';

/** Pushes of one command, with spans. What the collector has not taken when the command ends is lost, after `tracing.timeout_ms` at most. */
export interface PushTracing extends AsyncDisposable {
  tasks(door: TaskGateway): TaskGateway;
  plans(plans: Plans): Plans;
}

export async function openPushTracing(config: Config): Promise<PushTracing> {
  const pool = config.pool.id;
  const { tracer, part } = await openTracing({ config, role: 'cli', log: undefined, metrics: undefined });
  await part.start();
  return {
    tasks: (door) => ({ ...door, enqueue: tracePushes(door.enqueue, tracer, { queueOf: (capability) => queueOf(capability, pool), prefer: 'job' }) }),
    plans: (plans) => tracePlanPushes(plans, queueName('plan', pool), tracer),
    [Symbol.asyncDispose]: () => part.stop(),
  };
}
