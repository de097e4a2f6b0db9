import { createInFlight, type InFlight } from '../../processors/in-flight.ts';
import type { LocalSteps } from '../../processors/local-steps.ts';
import type { PlanDeps } from '../../processors/plan/context.ts';
import { createPlanWorker } from '../../processors/plan/plan-worker.ts';
import { createResidents } from '../../processors/plan/residents.ts';
import { createPlanSweeper } from '../../processors/plan/sweeper.ts';
import type { OpenWorker } from '../../processors/queue-worker.ts';
import { createRepeatedFaults } from '../../processors/repeated-faults.ts';
import { LOCK_TIMES, MAX_PLAN_BYTES, workerOptions } from '../../queues/catalog.ts';
import { createEnqueue } from '../../queues/enqueue.ts';
import type { PlanJobs } from '../../queues/plan-jobs.ts';
import type { Lifecycle } from '../../src/core/lifecycle.ts';
import { isOutage } from '../../src/core/outage.ts';
import type { Ledger, PlanJournal, PlanKernel, QuestionKernel, ResultReader, ResultSigner, TaskSignals } from '../../src/core/ports/index.ts';
import { startPlan } from '../../src/executors/plan/index.ts';
import { type Authorities, createPlanEndSigner } from '../../src/lease/index.ts';
import type { Host } from './machine.ts';
import { EPOCH_MS, type SimProcess } from './scheduler.ts';
import { EXECUTOR_KEY } from './tasks.ts';
import { cheapEd25519 } from './twins/crypto.ts';
import { PLAN_QUEUE } from './twins/kernel.ts';
import { portOf } from './twins/stores.ts';
import { remote } from './world.ts';

const SWEEP_MS = 5_000;
const DRAIN_MS = 3_000;
const MESSAGE_MS = 0.2;

/** What the plan role shares with the rest of its process. */
export interface PlanShares {
  readonly authorities: Authorities;
  readonly ledger: Ledger;
  readonly results: ResultReader;
  readonly signer: ResultSigner;
  readonly jobs: PlanJobs;
  readonly promote: PlanDeps['promote'];
  readonly open: OpenWorker;
  readonly inFlights: InFlight[];
  readonly local: LocalSteps;
}

/** The plan role of one worker process: the real driver on its journal, the kernel and the queue. */
export function servePlans(
  host: Host,
  process: SimProcess,
  { authorities, ledger, results, signer, jobs, promote, open, inFlights, local }: PlanShares,
): readonly Lifecycle[] {
  const { world, redis, seams } = host;
  const { clock } = process;
  const plain = portOf<PlanJournal>(host.stores.plan, process);
  const journal = seams.planJournal === undefined ? plain : seams.planJournal(plain, { world, process });
  const kernel: PlanKernel = {
    derive: (request) =>
      world.call(process, { to: 'kernel', what: `kernel.derive ${request.planSha256.slice(0, 8)}`, effect: () => host.kernel.derive(request) }),
  };
  const questions: QuestionKernel = {
    askApproval: (request) =>
      world.call(process, { to: 'kernel', what: `kernel.approval ${request.planSha256.slice(0, 8)}`, effect: () => host.kernel.askApproval(request) }),
  };
  const inFlight = createInFlight();
  inFlights.push(inFlight);
  const { lockMs, renewMs, stalledMs } = LOCK_TIMES;
  const deps: PlanDeps = {
    pool: 'default',
    clock,
    redisTime: () => world.call(process, { to: 'redis', what: 'redis.time', effect: () => Math.floor(EPOCH_MS + world.now) }),
    startPlan,
    bindings: host.bindings,
    authorities,
    kernel,
    questions,
    journal,
    views: remote(world, process, 'redis', 'views', redis.views.port()),
    jobs,
    promote,
    faults: createRepeatedFaults(),
    enqueue: createEnqueue({
      connection: redis.connectionFor(process),
      open: (name) => redis.queueFor(process, name),
      ledger,
      results,
      clock,
      pool: 'default',
      providers: ['sim'],
    }),
    ledger,
    results,
    signer,
    endSigner: createPlanEndSigner(EXECUTOR_KEY, cheapEd25519),
    inFlight,
    local,
    residents: createResidents({ onRecorded: onRecordedFor(host, process), slots: world.scenario.concurrency }),
    open,
    report: ({ jobId, end, code, message, error }) =>
      host.onEnd(
        jobId,
        end === 'crashed' && isOutage(error) ? 'plan-outage' : `plan-${end}`,
        `${code ?? ''} ${message ?? ''} ${error === undefined ? '' : String(error)}`,
        process,
      ),
  };
  const worker = createPlanWorker(
    {
      queue: PLAN_QUEUE,
      worker: { ...workerOptions({ lockMs, renewMs, stalledMs }, world.scenario.concurrency), connection: {}, maxDataChars: MAX_PLAN_BYTES },
      drainMs: DRAIN_MS,
      onError: () => undefined,
    },
    seams.plan === undefined ? deps : seams.plan(deps, { world, process }),
  );
  const sweeper = createPlanSweeper({ journal, jobs, clock, everyMs: SWEEP_MS, onError: () => undefined });
  return seams.sweeps === false ? [worker] : [worker, sweeper];
}

/** A subscription is a call, and a message takes its time. */
function onRecordedFor({ world, redis }: Host, process: SimProcess): TaskSignals['onRecorded'] {
  return (taskId, listener) =>
    world.call(process, {
      to: 'redis',
      what: 'signals.onRecorded',
      effect: () => redis.channels.onRecorded(taskId, () => world.scheduler.at(MESSAGE_MS, process, listener)),
    });
}
