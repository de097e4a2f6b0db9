import { readFile } from 'node:fs/promises';
import type { Config } from '../../../config/schema.ts';
import { holdPlaces } from '../../../processors/held-places.ts';
import { queueOfJob } from '../../../queues/audience.ts';
import { createConnection } from '../../../queues/connection.ts';
import { createPlanEnds } from '../../../queues/plan-ends.ts';
import { createPlanEvents } from '../../../queues/plan-events.ts';
import { createQueueControl } from '../../../queues/queue-control.ts';
import { queueShards } from '../../../queues/shards.ts';
import { createCryptoPool } from '../../adapters/crypto/pool.ts';
import { createRedisRevocations } from '../../adapters/redis/revocations.ts';
import { createRedisSignals } from '../../adapters/redis/signals.ts';
import { createPlanHistories } from '../../adapters/sqlite/plan-journal/plan-histories.ts';
import { boundProviders } from '../../adapters/tool-bindings/providers.ts';
import type { TaskJob } from '../../contracts/index.ts';
import { systemClock } from '../../core/clock.ts';
import { messageOf, WritError } from '../../core/errors.ts';
import { type Lifecycle, lifecycle } from '../../core/lifecycle.ts';
import type { AuditLog, PlanEnds, TaskGateway, TaskIndex } from '../../core/ports/index.ts';
import type { DataDirPaths } from '../../data-dir/paths.ts';
import { createKernelConnection, kernelClient } from '../../kernel/index.ts';
import { parseJwks } from '../../lease/index.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import type { Logger } from '../../observability/logging.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { observePushes } from '../../observability/pushes.ts';
import type { Tracer } from '../../observability/tracing/tracer.ts';
import { readPlaces } from '../../observability/worker-places.ts';
import { followBindings } from '../../reload/live-bindings.ts';
import { followRegistries } from '../../reload/live-registries.ts';
import { type Reloadable, settingsFindings } from '../../reload/role-reload.ts';
import type { HttpServices } from '../../surfaces/http/services.ts';
import { lanesOf } from '../lanes.ts';
import { openPlanSide } from '../plan/plan-side.ts';
import { createPlanPreview } from '../plan/preview.ts';
import { registryDirectories, registryRoots } from '../plan/registry-roots.ts';
import { planSignatures } from '../plan/signatures.ts';
import { openProducerSide } from '../producer-side.ts';
import { memoryGuard, redisTarget } from '../redis-target.ts';
import { openResults } from '../results.ts';
import { signatureReader } from '../signatures.ts';
import { createReadiness } from './readiness.ts';

export interface HttpWiring {
  readonly config: Config;
  readonly places: DataDirPaths;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly version: string;
  readonly index: TaskIndex;
  readonly audit: AuditLog;
  readonly metrics: HttpServices['metrics'];
  readonly contentSearch: HttpServices['contentSearch'];
  readonly contentIndex: HttpServices['contentIndex'];
  readonly messages: HttpServices['messages'];
  readonly messageSearch: HttpServices['messageSearch'];
  /** Where pushes are counted, for each surface apart. */
  readonly pushMetrics: Metrics | undefined;
  readonly reloadable?: Reloadable<Config> | undefined;
  /** `undefined`: tracing is off. */
  readonly tracer: Tracer | undefined;
}

/** Who pushes through the API. */
type Surface = 'http' | 'mcp' | 'board';

/**
 * What the HTTP surface works with, and the parts that must run meanwhile, in the order of starting. Redis and the kernel
 * may come and go: calls fail with REDIS_UNAVAILABLE or KERNEL_UNAVAILABLE until they are back.
 *
 * @throws WritError REDIS_UNAVAILABLE when the data directory has no Redis and none is configured
 */
export function wireHttpServices(wiring: HttpWiring): {
  readonly services: Omit<HttpServices, 'webhooks'>;
  /** For those who are told of ends of plans; it is started by whoever uses it. */
  readonly planEnds: PlanEnds & Lifecycle;
  /** The tasks of the board, whose pushes are counted apart. */
  readonly boardTasks: TaskGateway;
  readonly parts: readonly Lifecycle[];
} {
  const { config, places, log, version, index, audit, metrics, contentSearch, contentIndex, messages, messageSearch, pushMetrics, tracer, reloadable } = wiring;
  const clock = systemClock;
  const held = holdPlaces({ 'data-directory': places.dataDir, ...(config.messages.enabled && { messages: places.messages }) });
  const warn = (error: unknown): void => log.warn({ err: error }, 'redis');
  const target = redisTarget(config, places);
  const connection = createConnection(target, 'producer', warn);
  const subscriber = createConnection(target, 'subscriber', warn);
  const redisSignals = createRedisSignals(subscriber);
  const signals = async () => redisSignals;
  // Off the event loop: every lease is verified before it is queued, and a bulk push brings thousands.
  const ed25519 = createCryptoPool({ threads: config.crypto.threads, library: config.crypto.implementation === 'node' ? 'node' : 'best' });
  const results = openResults(places, async () => ed25519);
  const producer = openProducerSide({ config, places, connection, results, signals, files: () => reloadable?.settings.current.file ?? config.file });
  const trace = { tracer, queueOf: (job: TaskJob) => queueOfJob(job, config.pool.id), prefer: 'job' } as const;
  const tasksOf = (surface: Surface): TaskGateway =>
    producer.gateway((enqueue) => observePushes(enqueue, { trace, ...(pushMetrics === undefined ? {} : { count: { metrics: pushMetrics, surface } }) }));
  const plans = openPlanSide({ config, places, connection, results, signals });
  const shards = queueShards(config.queue);
  const queues = createQueueControl({ connection, pool: config.pool.id, providers: boundProviders(registryRoots(config)), lanes: lanesOf(config), shards });
  const planEvents = createPlanEvents({
    connection: subscriber,
    pool: config.pool.id,
    shards,
    reader: connection,
    proven: plans.view,
    onError: warn,
  });

  const planEnds = createPlanEnds({ connection, pool: config.pool.id, shards, histories: createPlanHistories(places.planJournal), clock });

  // For its judgement: a provider that comes or goes is a queue, which this role would not see.
  followBindings(registryRoots(config), reloadable?.settings);
  const signatures = signatureReader({ config, places, ed25519, feed: async () => createRedisRevocations(connection) });
  const kernel = createKernelConnection(places.kernelSocket);

  const services: Omit<HttpServices, 'webhooks'> = {
    version,
    clock,
    tasks: tasksOf('http'),
    toolTasks: tasksOf('mcp'),
    plans: {
      plans,
      events: planEvents,
      preview: createPlanPreview(config, { registries: followRegistries(registryDirectories(config), reloadable?.settings) }),
      signatures: planSignatures({ config, places, ed25519 }),
    },
    queues,
    contentSearch,
    contentIndex,
    messages,
    messageSearch,
    kernel: async ({ name }) => kernelClient(kernel, `${name} (http)`),
    signatures: async () => signatures,
    resultKeys: () => resultKeys(places.executorKeyring),
    index,
    audit,
    regrantByDefault: config.board.regrant,
    maxWaitS: config.http.max_wait_s,
    ready: createReadiness({
      connection,
      guard: memoryGuard(config, connection),
      kernel: kernelClient(kernel, 'readiness (http)'),
      index,
      queues,
      places: async () => [...held.findings(), ...(await readPlaces(places.metrics))],
      settings: () => settingsFindings(reloadable),
      clock,
    }),
    report: (error, tool) => log.error({ err: error, tool }, LOG_LINES.toolFailed.message),
    metrics,
  };
  const close = async (): Promise<void> => {
    await producer[Symbol.asyncDispose]();
    await planEvents.close();
    await queues[Symbol.asyncDispose]();
    await plans[Symbol.asyncDispose]();
    kernel.close();
    for (const redis of [connection, subscriber]) redis.disconnect();
  };
  return { services, planEnds, boardTasks: tasksOf('board'), parts: [lifecycle(() => undefined, close), ed25519, held] };
}

/** @throws WritError STORAGE_UNAVAILABLE */
async function resultKeys(file: string): Promise<{ readonly keys: readonly object[] }> {
  try {
    return { keys: parseJwks(await readFile(file, 'utf8'), file) };
  } catch (error) {
    throw new WritError('STORAGE_UNAVAILABLE', `the keys of the executors cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
