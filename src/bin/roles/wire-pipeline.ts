import { randomUUID } from 'node:crypto';
import type { PipelineDeps } from '../../../processors/context.ts';
import { createFirstLedger } from '../../../processors/first-ledger.ts';
import { createHeartbeat } from '../../../processors/heartbeat.ts';
import { createInFlight } from '../../../processors/in-flight.ts';
import { createLedgerRecovery } from '../../../processors/ledger-recovery.ts';
import { createLocalSteps } from '../../../processors/local-steps.ts';
import { processTask } from '../../../processors/pipeline.ts';
import { createPoolWatch } from '../../../processors/pool-watch.ts';
import { createQueueWorker, type QueueWorker } from '../../../processors/queue-worker.ts';
import { createRepeatedFaults } from '../../../processors/repeated-faults.ts';
import { byCapability } from '../../../processors/run-executor.ts';
import { createSlots } from '../../../processors/slots.ts';
import type { WorkerHealth } from '../../../processors/worker-health.ts';
import { workerOptions } from '../../../queues/catalog.ts';
import { createConnection } from '../../../queues/connection.ts';
import { createLeftJobs } from '../../../queues/left-jobs.ts';
import { createParkedJobs } from '../../../queues/parked-jobs.ts';
import { createPlanJobs } from '../../../queues/plan-jobs.ts';
import { ledgerStatus } from '../../../queues/queue-status.ts';
import { queueShards, slotsPerShard } from '../../../queues/shards.ts';
import { createCryptoPool } from '../../adapters/crypto/pool.ts';
import { openTokenFile } from '../../adapters/files/token-file.ts';
import { createRedisLedger } from '../../adapters/redis/ledger.ts';
import { createRedisPoolWorkers } from '../../adapters/redis/pool-workers.ts';
import { createRedisPresence } from '../../adapters/redis/presence.ts';
import { createRedisRevocations } from '../../adapters/redis/revocations.ts';
import { createRedisSignals } from '../../adapters/redis/signals.ts';
import type { RedisTarget } from '../../adapters/redis/target.ts';
import { systemClock } from '../../core/clock.ts';
import { type Lifecycle, lifecycle, parallel, sequential } from '../../core/lifecycle.ts';
import type { HostMemory, InstanceRegistry, TaskExecutor } from '../../core/ports/index.ts';
import { jwksFile, readPrivateKey } from '../../data-dir/key-files.ts';
import { createAuthorities, createKeyring, createPlanEndSigner, createResultReader, createResultSigner, createRevocationMirror } from '../../lease/index.ts';
import { countClaims } from '../../observability/counting.ts';
import { countDelivery, logDelivery } from '../../observability/deliveries.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { traceCalls } from '../../observability/tracing/calls.ts';
import { traceDeliveries, traceDelivery } from '../../observability/tracing/deliveries.ts';
import { traceExecutor } from '../../observability/tracing/executors.ts';
import type { Tracer } from '../../observability/tracing/tracer.ts';
import type { RoleContext, TestHooks } from './context.ts';
import { type PlanServing, wirePlans } from './wire-plans.ts';

export interface PipelineWiring extends RoleContext {
  readonly metrics: Metrics;
  /** `undefined`: tracing is off. */
  readonly tracer: Tracer | undefined;
  readonly health: Pick<WorkerHealth, 'watch' | 'require'>;
  readonly target: RedisTarget;
  readonly instances: InstanceRegistry;
  /** Their own parts run already. */
  readonly services: readonly Omit<QueueService, 'parts'>[];
  /** The successes that this host remembers, for a ledger that was lost. */
  readonly memories: readonly Pick<HostMemory, 'successes'>[];
  /** Serves the plan queue too. */
  readonly plans: PlanServing | undefined;
  readonly parkMs?: TestHooks['parkMs'];
  /** As the pipeline asks it; without: nothing is held. */
  readonly exchanged?: PipelineDeps['exchanged'] & object;
}

/** One queue that this worker serves, and what that takes. */
export interface QueueService {
  /** Pool included. */
  readonly queue: string;
  readonly concurrency: number;
  readonly executors: readonly [TaskExecutor, ...TaskExecutor[]];
  /** In the order of starting, before the queue is served. */
  readonly parts: readonly Lifecycle[];
}

/**
 * Everything between the queues and their executors, in the order of starting. The executors' own parts and the instance
 * lock must run before these.
 */
export async function wirePipeline({
  config,
  reloadable,
  places,
  log,
  metrics,
  tracer,
  health,
  target,
  instances,
  services,
  memories,
  plans,
  parkMs,
  exchanged,
}: PipelineWiring): Promise<readonly Lifecycle[]> {
  const clock = systemClock;
  const warn = (error: unknown): void => log.warn({ err: error }, LOG_LINES.redis.message);
  const ledgerConnection = createConnection(target, 'ledger', warn);
  const subscriber = createConnection(target, 'subscriber', warn);
  const queueConnection = createConnection(target, 'worker', warn);
  const retention = { retentionMs: config.ledger.retention_s * 1000, refusedMs: config.ledger.refused_ttl_s * 1000 };
  const ledger = traceCalls(countClaims(createRedisLedger(ledgerConnection, retention), metrics), { claim: 'claim', record: 'record' }, tracer);
  const presence = createRedisPresence(ledgerConnection);
  const signals = createRedisSignals(subscriber);
  const feed = createRedisRevocations(ledgerConnection);

  const ed25519 = createCryptoPool({ threads: config.crypto.threads, library: config.crypto.implementation === 'node' ? 'node' : 'best' });
  const leaseKeys = createKeyring({ source: jwksFile(places.kernelKeyring), use: 'lease', clock });
  const resultKeys = createKeyring({ source: jwksFile(places.executorKeyring), use: 'result', clock });
  const executorKey = await readPrivateKey(places.executorKey);
  const signer = createResultSigner(executorKey, ed25519);
  const endSigner = createPlanEndSigner(executorKey, ed25519);
  const revocations = createRevocationMirror({
    path: places.revocations,
    open: openTokenFile,
    keyring: leaseKeys,
    ed25519,
    onDamage: (problem) =>
      problem === undefined ? log.info(LOG_LINES.revocationsWhole.message) : log.error({ problem }, LOG_LINES.revocationsDamaged.message),
  });
  const results = createResultReader({ keyring: resultKeys, ed25519 });
  const limits = () => (reloadable?.settings.current ?? config).lease;
  const authorities = createAuthorities({
    leaseKeys,
    ed25519,
    revocations,
    feed,
    clock,
    issuer: config.lease.issuer,
    get maxTtl() {
      return limits().max_ttl_s;
    },
    get clockSkew() {
      return limits().clock_skew_s;
    },
  });

  metrics.follow('writ_revocations_damaged', {}, () => Number(revocations.damage !== undefined));
  health.require('revocations', async () => {
    await authorities.refresh();
    return `${revocations.number} are known`;
  });

  const firstLedger = createFirstLedger(async () => (await ledgerStatus(ledgerConnection)).markers, memories, warn);
  const recovery = createLedgerRecovery({
    ledger,
    memories,
    republishRevocations: () => revocations.catchUp(feed),
    newGeneration: randomUUID,
    clock,
    onLost() {
      if (firstLedger.begins) return;
      metrics.inc('writ_ledger_rebuilds_total', {});
      log.warn({}, LOG_LINES.ledgerLost.message);
    },
    onRestored(restored) {
      if (!firstLedger.begins) log.warn({ restored }, LOG_LINES.ledgerRebuilt.message);
    },
    onError: warn,
  });
  const shards = queueShards(config.queue);
  const parkedJobs = createParkedJobs(queueConnection);
  const planJobs = createPlanJobs({ connection: queueConnection, pool: config.pool.id, shards });
  const shared: Omit<PipelineDeps, 'executorOf' | 'inFlight' | 'instance'> = {
    clock,
    authorities: traceCalls(authorities, { authenticate: 'verify' }, tracer),
    ledger,
    results,
    presence,
    signer: traceCalls(signer, { sign: 'sign' }, tracer),
    faults: createRepeatedFaults(),
    recoverLedger: recovery.recover,
    ...(exchanged === undefined ? {} : { exchanged }),
    wakePlan: planJobs.promote,
    promote: parkedJobs.promote,
    parkMs,
    report(report) {
      logDelivery(log, report);
      countDelivery(metrics, report);
      traceDelivery(tracer, report);
    },
    around: traceDeliveries(tracer),
  };
  const { lock_ms: lockMs, renew_ms: renewMs, stalled_ms: stalledMs, heartbeat_ms: intervalMs, drain_ms: drainMs } = config.worker;
  // A worker for each shard: BullMQ knows nothing of the others.
  const shardServices = services.flatMap((service) => {
    const [concurrency, executorOf] = [slotsPerShard(service.concurrency, shards), traceExecutor(byCapability(service.executors), tracer)];
    return shards.all.map((prefix) => {
      const inFlight = createInFlight();
      const deps: PipelineDeps = {
        ...shared,
        executorOf,
        inFlight,
        get instance() {
          return instances.self.instance;
        },
      };
      return { queue: service.queue, prefix, concurrency, inFlight, slots: createSlots(concurrency), deps };
    });
  });
  const taskWorker = ({ queue, prefix, concurrency, inFlight, slots, deps }: (typeof shardServices)[number]): QueueWorker =>
    createQueueWorker(
      {
        queue,
        worker: { ...workerOptions({ lockMs, renewMs, stalledMs }, concurrency, prefix), connection: queueConnection },
        drainMs,
        onError: (error) => log.warn({ err: error }, LOG_LINES.queue.message),
        onRenewalFailed: (jobs) => metrics.inc('writ_lock_renewal_failures_total', {}, jobs),
        onStalled: () => metrics.inc('writ_stalled_total', {}),
      },
      { clock, inFlight, slots, handle: (delivery, running, tries) => processTask(delivery, running, tries, deps) },
    );
  const planInFlights = shards.all.map(() => createInFlight());
  const planWorker =
    plans &&
    wirePlans({
      ...plans,
      config,
      places,
      log,
      metrics,
      tracer,
      health,
      clock,
      authorities,
      ledger,
      results,
      ledgerConnection,
      queueConnection,
      shards,
      signer,
      endSigner,
      jobs: planJobs,
      promote: parkedJobs.promote,
      parkMs,
      inFlights: planInFlights,
      local: createLocalSteps({ queues: shardServices, shards, jobs: createLeftJobs(ledgerConnection), presence, times: { lockMs, renewMs } }),
      onRecorded: signals.onRecorded,
    });
  const slots = sum(shardServices, ({ concurrency }) => concurrency);
  metrics.set('writ_worker_slots', {}, slots);
  metrics.follow('writ_worker_busy_slots', {}, () => sum(shardServices, ({ inFlight }) => inFlight.size));
  const instance = (): string => instances.self.instance;
  const poolWorkers = createRedisPoolWorkers(ledgerConnection, config.pool.id);
  const poolWatch = createPoolWatch({
    ...{ pool: config.pool.id, directory: places.workers, workers: poolWorkers, presence, clock, instance, intervalMs, onError: warn },
  });
  health.require('pool', async () => {
    poolWatch.assertAlone();
    return 'no other data directory serves it';
  });
  let unlisten: (() => Promise<void>) | undefined;

  return [
    lifecycle(
      () => undefined,
      async () => {
        await planJobs.close();
        await parkedJobs.close();
        for (const connection of [ledgerConnection, subscriber, queueConnection]) connection.disconnect();
      },
    ),
    createHeartbeat({ presence, instance, intervalMs, lockMs, onError: warn }),
    poolWatch,
    ed25519,
    revocations,
    recovery,
    firstLedger.part(recovery),
    lifecycle(
      async () => {
        unlisten = await signals.onCancel((taskId) => {
          for (const inFlight of [...shardServices.map((service) => service.inFlight), ...planInFlights]) inFlight.stop({ taskId }, 'cancelled');
        });
      },
      () => unlisten?.(),
    ),
    // All at once: while one drained, another would go on taking jobs, and the time of a drain is for all of them.
    parallel([...shardServices.map((service) => sequential([taskWorker(service), health.watch(service, ledgerConnection)])), sequential(planWorker ?? [])]),
  ];
}

function sum<T>(things: readonly T[], of: (thing: T) => number): number {
  return things.reduce((total, thing) => total + of(thing), 0);
}
