import { queueName, taskQueues } from '../../../queues/catalog.ts';
import { connected, createConnection } from '../../../queues/connection.ts';
import { createConfinedFileSystem } from '../../adapters/linux/confined-fs/index.ts';
import { ensureDataDirectory } from '../../adapters/linux/data-directory.ts';
import { createInstanceRegistry } from '../../adapters/linux/instances.ts';
import { createStoppedFence } from '../../adapters/linux/instances-stopped.ts';
import { checkRedisPolicy } from '../../adapters/redis/policy.ts';
import { createRedisPoolOwnership } from '../../adapters/redis/pool.ts';
import type { RedisTarget } from '../../adapters/redis/target.ts';
import { createFileJournal } from '../../adapters/sqlite/journal.ts';
import { systemClock } from '../../core/clock.ts';
import { WritError } from '../../core/errors.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { inOrder, part } from '../../core/parts.ts';
import { type CrashPoint, createFileExecutor } from '../../executors/file/index.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import { createMetrics, type Metrics } from '../../observability/metrics.ts';
import { createMetricsSocket } from '../../observability/metrics-socket.ts';
import { redisTarget } from '../redis-target.ts';
import { packageVersion } from '../version.ts';
import type { RoleContext } from './context.ts';
import { serve } from './serve.ts';
import { wirePipeline } from './wire-pipeline.ts';

export interface WorkerSeams {
  /** Told of each crash point of the file executor that was passed; chaos tests end the process in it. */
  readonly onPoint?: (point: CrashPoint, taskId: string) => void;
}

/** `writ worker`: serves the queues of the pool until it is asked to stop. Resolves with the exit code. */
export async function runWorker(context: RoleContext, queues?: readonly string[]): Promise<number> {
  const known = taskQueues(context.config.pool.id);
  const unknown = queues?.find((queue) => !known.includes(queue));
  if (unknown !== undefined) throw new WritError('INVALID_ARGUMENT', `there is no queue ${unknown}; this pool has ${known.join(', ')}`, { field: '--queues' });
  return serve(context, () => createWorkerRole(context), { drainMs: context.config.worker.drain_ms });
}

/** The file worker: owner of its pool, with journal, lock file and file executor; nothing runs before `start`. */
export async function createWorkerRole(context: RoleContext, seams: WorkerSeams = {}): Promise<Lifecycle> {
  const { config, places } = context;
  const { id: dataDirId } = ensureDataDirectory(places.dataDir);
  const target = redisTarget(config, places);
  const instances = createInstanceRegistry({ directory: places.workers });
  const metrics = createMetrics('worker', packageVersion());
  const journal = createFileJournal({ file: places.journal, onCommit: (commit) => countCommit(metrics, commit) });
  const executor = createFileExecutor({
    bases: Object.entries(config.file.base_directories).map(([id, path]) => ({ id, path })),
    fileSystem: createConfinedFileSystem({ level: config.file.confinement, allowedFilesystems: [...config.file.filesystems] }),
    journal,
    instances,
    limits: {
      maxRunMs: config.file.max_run_s * 1000,
      maxBytes: config.file.max_bytes,
      hashMaxBytes: config.file.hash_max_bytes,
      vaultQuotaBytes: config.file.vault_quota_bytes,
    },
    clock: systemClock,
    onRecovery: (decision) => metrics.inc('writ_recoveries_total', { decision }),
    ...(seams.onPoint ? { onPoint: seams.onPoint } : {}),
  });
  const queue = queueName('file', config.pool.id);

  return inOrder([
    once(() => admit(context, target, dataDirId)),
    createMetricsSocket({
      directory: places.metrics,
      metrics,
      port: config.metrics.worker_port,
      onError: (error) => context.log.warn({ err: error }, LOG_LINES.metrics.message),
    }),
    createStoppedFence({
      directory: places.workers,
      instances,
      graceMs: config.worker.lock_ms,
      report: (ended) => context.log.warn(ended, LOG_LINES.workerEnded.message),
    }),
    journal,
    instances,
    once(async () => {
      instances.removeStale(new Set((await journal.openAttempts()).map(({ process }) => process.instance)));
    }),
    executor,
    ...(await wirePipeline({ ...context, metrics, target, instances, queue, concurrency: config.worker.file_concurrency, executor })),
  ]);
}

function countCommit(metrics: Metrics, { requests, seconds }: { requests: number; seconds: number }): void {
  metrics.observe('writ_journal_commit_seconds', {}, seconds);
  metrics.observe('writ_journal_commit_requests', {}, requests);
}

/** Whether this data directory may serve its pool on this Redis. Throws WritError REDIS_POLICY, POOL_OWNED, REDIS_UNAVAILABLE. */
async function admit({ config, log }: RoleContext, target: RedisTarget, dataDirId: string): Promise<void> {
  const redis = createConnection(target, 'ledger');
  try {
    await connected(redis);
    for (const warning of await checkRedisPolicy(redis)) log.warn({ warning }, LOG_LINES.redisPolicy.message);
    await createRedisPoolOwnership(redis).claimPool(config.pool.id, dataDirId);
  } finally {
    redis.disconnect();
  }
}

function once(work: () => Promise<void>): Lifecycle {
  return part(work, () => undefined);
}
