import { randomUUID } from 'node:crypto';
import type { PipelineDeps } from '../../../processors/deps.ts';
import { createHeartbeat } from '../../../processors/heartbeat.ts';
import { createInFlight } from '../../../processors/in-flight.ts';
import { createLedgerRecovery } from '../../../processors/ledger-recovery.ts';
import { createTaskWorker } from '../../../processors/task-worker.ts';
import { queueName, workerOptions } from '../../../queues/catalog.ts';
import { createConnection } from '../../../queues/connection.ts';
import { createCryptoPool } from '../../adapters/crypto/index.ts';
import { createConfinedFileSystem } from '../../adapters/linux/confined-fs/index.ts';
import { ensureDataDirectory } from '../../adapters/linux/data-directory.ts';
import { createInstanceRegistry } from '../../adapters/linux/instances.ts';
import { createRedisLedger } from '../../adapters/redis/ledger.ts';
import { checkRedisPolicy } from '../../adapters/redis/policy.ts';
import { createRedisPoolOwnership } from '../../adapters/redis/pool.ts';
import { createRedisPresence } from '../../adapters/redis/presence.ts';
import { createRedisRevocations } from '../../adapters/redis/revocations.ts';
import { createRedisSignals } from '../../adapters/redis/signals.ts';
import { createFileJournal } from '../../adapters/sqlite/journal.ts';
import { systemClock } from '../../core/clock.ts';
import type { Lifecycle } from '../../core/lifecycle.ts';
import { inOrder, part } from '../../core/parts.ts';
import { type CrashPoint, createFileExecutor } from '../../executors/file/index.ts';
import { createAuthorities, createKeyring, createResultSigner, createRevocationMirror, jwksFile, readPrivateKey } from '../../lease/index.ts';
import { reportDeliveries } from '../../observability/deliveries.ts';
import { redisTarget } from '../redis-target.ts';
import type { RoleContext } from './context.ts';
import { serve } from './serve.ts';

export interface WorkerSeams {
  /** Told of each crash point of the file executor that was passed; chaos tests end the process in it. */
  readonly onPoint?: (point: CrashPoint, taskId: string) => void;
}

/** `writ worker`: serves the file queue of the pool until it is asked to stop. Resolves with the exit code. */
export function runWorker(context: RoleContext): Promise<number> {
  return serve(context, (fatal) => createWorkerRole(context, fatal), { drainMs: context.config.worker.drain_ms });
}

/** Everything of the worker role, wired; nothing runs before `start`. */
export async function createWorkerRole({ config, places, log }: RoleContext, fatal: (error: unknown) => void, seams: WorkerSeams = {}): Promise<Lifecycle> {
  const clock = systemClock;
  const { id: dataDirId } = ensureDataDirectory(places.dataDir);
  const target = redisTarget(config, places);
  const warn = (error: unknown): void => log.warn({ err: error }, 'redis');

  const ledgerConnection = createConnection(target, 'ledger', warn);
  const subscriber = createConnection(target, 'subscriber', warn);
  const queueConnection = createConnection(target, 'worker', warn);
  const ledger = createRedisLedger(ledgerConnection, { retentionMs: config.ledger.retention_s * 1000, refusedMs: config.ledger.refused_ttl_s * 1000 });
  const presence = createRedisPresence(ledgerConnection);
  const signals = createRedisSignals(subscriber);
  const feed = createRedisRevocations(ledgerConnection);

  const ed25519 = createCryptoPool({ threads: config.crypto.threads, library: config.crypto.implementation === 'node' ? 'node' : 'best' });
  const leaseKeys = createKeyring({ source: jwksFile(places.kernelKeyring), use: 'lease', clock });
  const resultKeys = createKeyring({ source: jwksFile(places.executorKeyring), use: 'result', clock });
  const signer = createResultSigner(await readPrivateKey(places.executorKey), ed25519);
  const revocations = createRevocationMirror({ path: places.revocations, keyring: leaseKeys, ed25519 });
  const authorities = createAuthorities({
    leaseKeys,
    resultKeys,
    ed25519,
    revocations,
    feed,
    clock,
    issuer: config.lease.issuer,
    maxTtl: config.lease.max_ttl_s,
  });

  const instances = createInstanceRegistry({ directory: places.workers });
  const journal = createFileJournal({ file: places.journal });
  const executor = createFileExecutor({
    bases: Object.entries(config.file.base_directories).map(([id, path]) => ({ id, path })),
    fileSystem: createConfinedFileSystem({ level: config.file.confinement, allowedFilesystems: [...config.file.filesystems] }),
    journal,
    instances,
    limits: { maxRunMs: config.file.max_run_s * 1000, maxBytes: config.file.max_bytes, vaultQuotaBytes: config.file.vault_quota_bytes },
    clock,
    ...(seams.onPoint ? { onPoint: seams.onPoint } : {}),
  });

  const inFlight = createInFlight();
  const recoverLedger = createLedgerRecovery({
    ledger,
    memory: executor.memory,
    republishRevocations: () => revocations.catchUp(feed),
    newGeneration: randomUUID,
    clock,
    report: (restored) => log.warn({ restored }, 'redis had lost the ledger; restored it from the journal'),
  });
  const pipeline: PipelineDeps = {
    get instance() {
      return instances.self.instance;
    },
    clock,
    executor,
    authorities,
    ledger,
    presence,
    signer,
    inFlight,
    recoverLedger,
    report: reportDeliveries(log),
  };
  const { lock_ms: lockMs, renew_ms: renewMs, stalled_ms: stalledMs } = config.worker;
  let unlisten: (() => Promise<void>) | undefined;

  return inOrder([
    part(
      () => undefined,
      () => [ledgerConnection, subscriber, queueConnection].forEach((connection) => connection.disconnect()),
    ),
    part(
      async () => {
        for (const warning of await checkRedisPolicy(ledgerConnection)) log.warn(warning);
        await createRedisPoolOwnership(ledgerConnection).claimPool(config.pool.id, dataDirId);
      },
      () => undefined,
    ),
    ed25519,
    revocations,
    journal,
    instances,
    executor,
    createHeartbeat({ presence, instance: () => instances.self.instance, intervalMs: config.worker.heartbeat_ms, lockMs, onError: warn }),
    part(
      async () => {
        unlisten = await signals.onCancel((taskId) => inFlight.stop({ taskId }, 'cancelled'));
        instances.removeStale(new Set((await journal.openAttempts()).map(({ process }) => process.instance)));
      },
      () => unlisten?.(),
    ),
    createTaskWorker(
      {
        queue: queueName('file', config.pool.id),
        worker: { ...workerOptions({ lockMs, renewMs, stalledMs }, config.worker.file_concurrency), connection: queueConnection },
        drainMs: config.worker.drain_ms,
        onError: (error) => log.warn({ err: error }, 'queue'),
      },
      pipeline,
    ),
  ]);
}
