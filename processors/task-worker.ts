import type { PipelineDeps } from './deps.ts';
import { runDelivery } from './pipeline.ts';
import { createQueueWorker, type QueueWorker, type QueueWorkerOptions } from './queue-worker.ts';
import { settle } from './settle.ts';

/** Serves one queue of tasks with the pipeline until stopped. */
export function createTaskWorker(options: QueueWorkerOptions, deps: PipelineDeps): QueueWorker {
  const { around = (_delivery, work) => work() } = deps;
  return createQueueWorker(options, {
    clock: deps.clock,
    inFlight: deps.inFlight,
    handle: async (delivery, running, tries) => ({ action: settle(await around(delivery, () => runDelivery(delivery, running, deps)), tries) }),
  });
}
