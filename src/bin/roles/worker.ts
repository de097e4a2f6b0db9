import { packageVersion } from '../../../config/package.ts';
import { holdPlaces } from '../../../processors/held-places.ts';
import { createWorkerHealth } from '../../../processors/worker-health.ts';
import { queueName } from '../../../queues/catalog.ts';
import { connected, createConnection } from '../../../queues/connection.ts';
import { servedQueues } from '../../../queues/served-queues.ts';
import { claimShards } from '../../../queues/shard-claim.ts';
import { createInstanceRegistry } from '../../adapters/linux/instances.ts';
import { createStoppedFence } from '../../adapters/linux/instances-stopped.ts';
import { checkAccess } from '../../adapters/redis/access.ts';
import { checkRedisPolicy } from '../../adapters/redis/policy.ts';
import { createRedisPoolOwnership } from '../../adapters/redis/pool.ts';
import type { RedisTarget } from '../../adapters/redis/target.ts';
import { journalMemory } from '../../adapters/sqlite/journal/journal-memory.ts';
import { readToolBindings } from '../../adapters/tool-bindings/index.ts';
import { type Lifecycle, lifecycle, sequential } from '../../core/lifecycle.ts';
import { ensureDataDirectory } from '../../data-dir/data-directory.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import { createMetricsSocket } from '../../observability/metrics-socket.ts';
import { createRoleMetrics } from '../../observability/rotation-trouble.ts';
import { followBindings } from '../../reload/live-bindings.ts';
import { settingsFindings } from '../../reload/role-reload.ts';
import { registryRoots } from '../plan/registry-roots.ts';
import { redisTarget } from '../redis-target.ts';
import { traceRole } from '../tracing.ts';
import type { RoleContext, TestHooks } from './context.ts';
import { fileService } from './file-service.ts';
import { searchService } from './search-service.ts';
import { serve } from './serve.ts';
import { toolServices } from './tool-services.ts';
import { wirePipeline } from './wire-pipeline.ts';

export interface WorkerRoleOptions extends TestHooks {
  /** The queues to serve, pool included; all of the pool when absent. */
  readonly queues?: readonly string[] | undefined;
}

/** `writ worker`: serves the queues of the pool until it is asked to stop. Resolves with the exit code. */
export async function runWorker(context: RoleContext, queues?: readonly string[]): Promise<number> {
  const providers = readToolBindings(registryRoots(context.config)).providers.map(({ name }) => name);
  const served = queues && servedQueues(queues, context.config.pool.id, providers);
  return serve(context, () => createWorkerRole(context, { queues: served }), { role: 'worker', drainMs: context.config.worker.drain_ms });
}

/** A worker of its pool: lock file, metrics, and the services of its queues; nothing runs before `start`. */
export async function createWorkerRole(context: RoleContext, { queues, ...hooks }: WorkerRoleOptions = {}): Promise<Lifecycle> {
  const { config, places } = context;
  const { id: dataDirId } = ensureDataDirectory(places.dataDir);
  const target = redisTarget(config, places);
  const instances = createInstanceRegistry({ directory: places.workers });
  const metrics = createRoleMetrics('worker', packageVersion(), context.log);
  const tracing = await traceRole({ config, role: 'worker', log: context.log, metrics });
  const { tracer } = tracing;
  const health = createWorkerHealth({ deafMs: config.worker.deaf_ms, metrics, log: context.log });
  health.watchPlaces([], () => settingsFindings(context.reloadable));
  const serves = (queue: string): boolean => queues === undefined || queues.includes(queue);
  const file = serves(queueName('file', config.pool.id)) ? fileService(context, instances, { metrics, tracer, health }, hooks) : undefined;
  const held = holdPlaces({ 'data-directory': places.dataDir, journal: places.journal, 'tool-journal': places.toolJournal });
  health.watchPlaces(['data-directory', 'journal', 'tool-journal'], held.findings);
  const search = serves(queueName('search', config.pool.id)) ? searchService(context, { metrics, tracer }) : undefined;
  const tools = followBindings(registryRoots(config), context.reloadable?.settings);
  const called = toolServices(context, tools, { serves, metrics, tracer }, hooks);
  const services = [file, search, ...called.services].filter((service) => service !== undefined);

  const plans = serves(queueName('plan', config.pool.id)) ? { bindings: tools.bindings, onPlanPoint: hooks.onPlanPoint } : undefined;
  const memories = [file?.memory ?? journalMemory(places.journal), ...(called.memory === undefined ? [] : [called.memory])];

  return sequential([
    tracing.part,
    lifecycle(
      () => admit(context, target, dataDirId),
      () => undefined,
    ),
    createMetricsSocket({
      directory: places.metrics,
      metrics,
      health,
      port: config.metrics.worker_port,
      onError: (error) => context.log.warn({ err: error }, LOG_LINES.metrics.message),
    }),
    createStoppedFence({
      directory: places.workers,
      instances,
      graceMs: config.worker.lock_ms,
      report: (ended) => context.log.warn(ended, LOG_LINES.workerEnded.message),
    }),
    instances,
    ...services.flatMap(({ parts }) => parts),
    held,
    ...(await wirePipeline({
      ...context,
      metrics,
      tracer,
      health,
      target,
      instances,
      services,
      memories,
      plans,
      parkMs: hooks.parkMs,
      exchanged: held.exchanged,
    })),
  ]);
}

/** Whether this data directory may serve its pool on this Redis. Throws WritError REDIS_TLS, REDIS_POLICY, POOL_OWNED, REDIS_UNAVAILABLE. */
async function admit({ config, log }: RoleContext, target: RedisTarget, dataDirId: string): Promise<void> {
  await checkAccess(target);
  const redis = createConnection(target, 'ledger');
  try {
    await connected(redis);
    for (const warning of await checkRedisPolicy(redis)) log.warn({ warning }, LOG_LINES.redisPolicy.message);
    await createRedisPoolOwnership(redis).claimPool(config.pool.id, dataDirId);
    await claimShards(redis, config.queue);
  } finally {
    redis.disconnect();
  }
}
