import type { Config } from '../../../config/schema.ts';
import { createInFlight, type InFlight } from '../../../processors/in-flight.ts';
import type { PlanDeps } from '../../../processors/plan/context.ts';
import { createPlanWorker } from '../../../processors/plan/plan-worker.ts';
import { createResidents } from '../../../processors/plan/residents.ts';
import { createPlanSweeper } from '../../../processors/plan/sweeper.ts';
import { createRepeatedFaults } from '../../../processors/repeated-faults.ts';
import type { WorkerHealth } from '../../../processors/worker-health.ts';
import { queueOfJob } from '../../../queues/audience.ts';
import { MAX_PLAN_BYTES, queueName, workerOptions } from '../../../queues/catalog.ts';
import { createEnqueue } from '../../../queues/enqueue.ts';
import { type QueueShards, slotsPerShard } from '../../../queues/shards.ts';
import { createRedisPlanViews } from '../../adapters/redis/plan-views.ts';
import type { RedisConnection } from '../../adapters/redis/redis-connection.ts';
import { redisTime } from '../../adapters/redis/redis-time.ts';
import { createPlanJournal } from '../../adapters/sqlite/plan-journal/plan-journal.ts';
import { type Lifecycle, lifecycle, parallel } from '../../core/lifecycle.ts';
import type { Bindings, ResultReader, TaskSignals } from '../../core/ports/index.ts';
import type { DataDirPaths } from '../../data-dir/paths.ts';
import { startPlan } from '../../executors/plan/index.ts';
import { createPlanKernelClient } from '../../kernel/index.ts';
import { LOG_LINES } from '../../observability/log-lines.ts';
import type { Logger } from '../../observability/logging.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { countPlan, logPlan } from '../../observability/plans.ts';
import { observePushes } from '../../observability/pushes.ts';
import { traceCalls } from '../../observability/tracing/calls.ts';
import { traceDeliveries, tracePlan } from '../../observability/tracing/deliveries.ts';
import type { Tracer } from '../../observability/tracing/tracer.ts';
import type { TestHooks } from './context.ts';
import { journalTrimmer } from './journal-trimmer.ts';

/** What serving the plan queue takes beside what every worker has. */
export interface PlanServing extends Pick<TestHooks, 'onPlanPoint'> {
  readonly bindings: Bindings;
}

export interface PlanWiring
  extends PlanServing,
    Pick<PlanDeps, 'clock' | 'authorities' | 'ledger' | 'signer' | 'endSigner' | 'jobs' | 'promote' | 'parkMs' | 'local'> {
  readonly config: Config;
  readonly places: DataDirPaths;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer | undefined;
  readonly health: Pick<WorkerHealth, 'watch'>;
  readonly results: ResultReader;
  /** One for each shard. */
  readonly inFlights: readonly InFlight[];
  readonly onRecorded: TaskSignals['onRecorded'];
  readonly ledgerConnection: RedisConnection;
  readonly queueConnection: RedisConnection;
  readonly shards: QueueShards;
}

function aroundStep(tracer: Tracer): NonNullable<PlanDeps['aroundStep']> {
  return ({ path, tool, operation, manifest }, work) =>
    tracer.span('step', { attributes: { 'writ.step': path, 'writ.tool': tool, 'writ.operation': operation, 'writ.task.id': manifest.task_id } }, work);
}

/** The plan role, in the order of starting: its journal, the queue, and the look for plans whose jobs Redis has lost. */
export function wirePlans(wiring: PlanWiring): readonly Lifecycle[] {
  const {
    config,
    places,
    log,
    metrics,
    tracer,
    health,
    clock,
    ledger,
    results,
    ledgerConnection,
    queueConnection,
    shards,
    jobs,
    bindings,
    authorities,
    signer,
    endSigner,
    promote,
    parkMs,
    local,
    inFlights,
    onRecorded,
    onPlanPoint,
  } = wiring;
  const { lock_ms: lockMs, renew_ms: renewMs, stalled_ms: stalledMs, drain_ms: drainMs, plan_concurrency: concurrency } = config.worker;
  const pool = config.pool.id;
  const warn = (error: unknown): void => log.warn({ err: error }, LOG_LINES.queue.message);
  const journal = createPlanJournal({ directory: places.planJournal });
  const kernel = createPlanKernelClient(places.deriveSocket);
  const enqueue = createEnqueue({ connection: queueConnection, ledger, results, clock, pool, shards });
  const views = createRedisPlanViews({ redis: ledgerConnection, retentionMs: config.ledger.retention_s * 1000 });
  const perShard = slotsPerShard(concurrency, shards);
  const queue = queueName('plan', pool);
  const faults = createRepeatedFaults();
  const inShard = (prefix: string, inFlight: InFlight) =>
    createPlanWorker(
      {
        queue,
        worker: { ...workerOptions({ lockMs, renewMs, stalledMs }, perShard, prefix), connection: queueConnection, maxDataChars: MAX_PLAN_BYTES },
        drainMs,
        onError: warn,
        onRenewalFailed: (lost) => metrics.inc('writ_lock_renewal_failures_total', {}, lost),
        onStalled: () => metrics.inc('writ_stalled_total', {}),
      },
      {
        pool,
        clock,
        redisTime: () => redisTime(ledgerConnection),
        startPlan,
        bindings,
        authorities: traceCalls(authorities, { authenticatePlan: 'verify' }, tracer),
        kernel: traceCalls(kernel, { derive: 'derive' }, tracer),
        questions: kernel,
        journal,
        views,
        jobs,
        enqueue: observePushes(enqueue, { trace: { tracer, queueOf: (job) => queueOfJob(job, pool), prefer: 'active' } }),
        ledger,
        results,
        signer,
        endSigner,
        inFlight,
        ...(local && { local }),
        residents: createResidents({ onRecorded, slots: perShard }),
        faults,
        promote,
        parkMs,
        report(report) {
          logPlan(log, report);
          countPlan(metrics, report);
          tracePlan(tracer, report);
        },
        around: traceDeliveries(tracer),
        ...(tracer === undefined ? {} : { aroundStep: aroundStep(tracer) }),
        ...(onPlanPoint ? { onPoint: onPlanPoint } : {}),
      },
    );
  const close = async (): Promise<void> => {
    kernel.close();
    await enqueue.close();
  };
  return [
    lifecycle(() => undefined, close),
    journal,
    journalTrimmer(journal, { config, log, metrics }, 'writ_plans_trimmed_total'),
    parallel(
      shards.all.flatMap((prefix, at) => {
        const inFlight = inFlights[at] ?? createInFlight();
        return [inShard(prefix, inFlight), health.watch({ queue, prefix, concurrency: perShard, inFlight }, ledgerConnection)];
      }),
    ),
    createPlanSweeper({ journal, jobs, clock, everyMs: config.plan.sweep_ms, onError: warn }),
  ];
}
