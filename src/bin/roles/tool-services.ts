import { environmentSecret } from '../../../config/load.ts';
import { queueName } from '../../../queues/catalog.ts';
import { createToolJournal } from '../../adapters/sqlite/tool-journal/tool-journal.ts';
import type { ToolBindings } from '../../adapters/tool-bindings/index.ts';
import { systemClock } from '../../core/clock.ts';
import { lifecycle } from '../../core/lifecycle.ts';
import type { HostMemory } from '../../core/ports/index.ts';
import { createToolExecutor } from '../../executors/tool/index.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { traceCalls } from '../../observability/tracing/calls.ts';
import { traceTools } from '../../observability/tracing/tools.ts';
import type { Tracer } from '../../observability/tracing/tracer.ts';
import type { RoleContext, TestHooks } from './context.ts';
import { journalTrimmer } from './journal-trimmer.ts';
import type { QueueService } from './wire-pipeline.ts';

/** Tool calls: a queue for each provider that is served, so that a slow one starves only itself, and one journal for all. */
export function toolServices(
  { config, places, log }: RoleContext,
  bindings: ToolBindings,
  { serves, metrics, tracer }: { readonly serves: (queue: string) => boolean; readonly metrics: Metrics; readonly tracer: Tracer | undefined },
  { onToolPoint }: TestHooks,
): { readonly services: readonly QueueService[]; readonly memory: Pick<HostMemory, 'successes'> | undefined } {
  const served = bindings.providers.filter(({ name }) => serves(queueName(`tool-${name}`, config.pool.id)));
  if (served.length === 0) return { services: [], memory: undefined };
  const journal = createToolJournal({ directory: places.toolJournal });
  const trimmer = journalTrimmer(journal, { config, log, metrics });
  const services = served.map(({ name, concurrency }, at): QueueService => {
    const { tools, close } = bindings.open(name, { environment: environmentSecret });
    const executor = createToolExecutor({
      tools: traceTools(tools, tracer, config.tracing.tell_tools),
      journal: traceCalls(journal, { open: 'intent' }, tracer),
      clock: systemClock,
      ...(onToolPoint ? { onPoint: onToolPoint } : {}),
    });
    const connections = lifecycle(() => undefined, close);
    return {
      queue: queueName(`tool-${name}`, config.pool.id),
      concurrency,
      executors: [executor],
      parts: at === 0 ? [journal, trimmer, connections] : [connections],
    };
  });
  return { services, memory: journal };
}
