import { environmentSecret } from '../../../config/load.ts';
import { queueName } from '../../../queues/catalog.ts';
import { createToolJournal } from '../../adapters/sqlite/tool-journal/tool-journal.ts';
import type { ToolBindings } from '../../adapters/tool-bindings/index.ts';
import { systemClock } from '../../core/clock.ts';
import { lifecycle } from '../../core/lifecycle.ts';
import type { HostMemory } from '../../core/ports/index.ts';
import { createRuns } from '../../core/runs.ts';
import { createExchangeableExecutor, type Generation } from '../../executors/exchange.ts';
import { createToolExecutor, type OpenedAttempt } from '../../executors/tool/index.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { traceCalls } from '../../observability/tracing/calls.ts';
import { traceTools } from '../../observability/tracing/tools.ts';
import type { Tracer } from '../../observability/tracing/tracer.ts';
import type { LiveBindings } from '../../reload/live-bindings.ts';
import type { RoleContext, TestHooks } from './context.ts';
import { journalTrimmer } from './journal-trimmer.ts';
import type { QueueService } from './wire-pipeline.ts';

/** Tool calls: a queue for each provider that is served, so that a slow one starves only itself, and one journal for all. */
export function toolServices(
  { config, places, log }: RoleContext,
  live: LiveBindings,
  { serves, metrics, tracer }: { readonly serves: (queue: string) => boolean; readonly metrics: Metrics; readonly tracer: Tracer | undefined },
  { onToolPoint }: TestHooks,
): { readonly services: readonly QueueService[]; readonly memory: Pick<HostMemory, 'successes'> | undefined } {
  const served = live.current.providers.filter(({ name }) => serves(queueName(`tool-${name}`, config.pool.id)));
  if (served.length === 0) return { services: [], memory: undefined };
  const journal = createToolJournal({ directory: places.toolJournal });
  const trimmer = journalTrimmer(journal, { config, log, metrics });
  const runs = createRuns<OpenedAttempt>();
  const services = served.map(({ name, concurrency }, at): QueueService => {
    const generationOf = (of: ToolBindings): Generation => {
      const { tools, close } = of.open(name, { environment: environmentSecret });
      const made = createToolExecutor({
        tools: traceTools(tools, tracer, config.tracing.tell_tools),
        journal: traceCalls(journal, { open: 'intent' }, tracer),
        clock: systemClock,
        runs,
        ...(onToolPoint ? { onPoint: onToolPoint } : {}),
      });
      return { executor: made, life: lifecycle(() => undefined, close) };
    };
    const executor = createExchangeableExecutor(generationOf(live.current));
    live.follow(async (next, touched) => (touched.has(name) ? executor.prepare(generationOf(next)) : undefined));
    return {
      queue: queueName(`tool-${name}`, config.pool.id),
      concurrency,
      executors: [executor],
      parts: at === 0 ? [journal, trimmer, executor] : [executor],
    };
  });
  return { services, memory: journal };
}
