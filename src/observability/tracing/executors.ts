import type { HostMemory, TaskExecutor } from '../../core/ports/index.ts';
import { told, traceCalls } from './calls.ts';
import { capabilityName } from './capability-name.ts';
import type { Tracer } from './tracer.ts';

/** Executors with spans around what they do and what their hosts remember; the very same ones when tracing is off. */
export function traceExecutor(executorOf: (capabilityId: string) => TaskExecutor, tracer: Tracer | undefined): (capabilityId: string) => TaskExecutor {
  if (tracer === undefined) return executorOf;
  const kept = new Map<TaskExecutor, TaskExecutor>();
  return (capabilityId) => {
    const executor = executorOf(capabilityId);
    const traced = kept.get(executor) ?? tracedExecutor(executor, tracer);
    kept.set(executor, traced);
    return traced;
  };
}

function tracedExecutor(executor: TaskExecutor, tracer: Tracer): TaskExecutor {
  return {
    capabilities: executor.capabilities,
    // Its settings may be exchanged while it runs.
    get maxRunMs() {
      return executor.maxRunMs;
    },
    execute: (task, context) =>
      tracer.span('execute', { attributes: { 'writ.capability': capabilityName(task.manifest.capability_id) } }, async (span) =>
        told(span, await executor.execute(task, context)),
      ),
    ...(executor.memory === undefined ? {} : { memory: tracedMemory(executor.memory, tracer) }),
  };
}

function tracedMemory(memory: HostMemory, tracer: Tracer): HostMemory {
  return traceCalls(memory, { recall: 'recall', recover: 'recover', conclude: 'conclude' }, tracer);
}
