import { sha256Hex } from '../../src/core/hash.ts';
import type { PlanEnd } from '../../src/core/ports/index.ts';
import { jobKey } from '../delivery.ts';
import { createQueueWorker, type QueueWorker, type QueueWorkerOptions } from '../queue-worker.ts';
import { type Action, busyDelay } from '../settle.ts';
import type { PlanDeliveryEnd, PlanDeps } from './context.ts';
import { deliverPlan } from './deliver.ts';
import { createParkedPlans } from './replay.ts';

/** `p_<plan_sha256>`, as `queues/plan-jobs.ts` makes it: the job that a plan runs in. */
const JOB_ID = /^p_([0-9a-f]{64})$/;

/** Serves the plan queue until stopped. A plan that waits for a step holds no slot: its job is parked. */
export function createPlanWorker(options: QueueWorkerOptions, deps: PlanDeps): QueueWorker {
  const parked = createParkedPlans(deps);
  const { around = (_delivery, work) => work() } = deps;
  const worker = createQueueWorker(
    {
      ...options,
      onStalled(jobId) {
        options.onStalled?.(jobId);
        const planSha256 = JOB_ID.exec(jobId)?.[1];
        if (planSha256 !== undefined) void deps.journal.lose(planSha256).catch(options.onError);
      },
    },
    {
      clock: deps.clock,
      inFlight: deps.inFlight,
      ...(deps.open && { open: deps.open }),
      async handle(delivery, running) {
        const end = await around(delivery, () => deliverPlan(delivery, running, parked, deps));
        const action = settlePlan(end);
        if (end.kind !== 'parked') return { action };
        // An answer that came before the job was parked has woken nobody.
        const afterDelay = async (): Promise<void> => {
          if (await end.isAnswered()) await deps.promote([jobKey(delivery)]);
        };
        return { action, afterDelay };
      },
    },
  );
  return {
    ...worker,
    start() {
      deps.residents?.start();
      return worker.start();
    },
    stop() {
      deps.residents?.stop();
      return worker.stop();
    },
  };
}

type Table = { readonly [K in PlanDeliveryEnd['kind']]: (end: Extract<PlanDeliveryEnd, { kind: K }>) => Action };

const AGAIN_MS = 1000;

/** The one place where the end of a plan's delivery becomes a BullMQ action (docs/plan-protocol.md 1). A plan fails for good: only a retry runs it on. */
const TABLE = {
  malformed: (end) => ({ kind: 'fail', message: `INVALID_MANIFEST: ${end.message}`, recoverable: false }),
  refused: (end) => ({ kind: 'fail', message: `INVALID_LEASE: ${end.message}`, recoverable: false }),
  ended: ({ end }) =>
    end.status === 'SUCCESS'
      ? { kind: 'complete', value: { status: 'SUCCESS', result_sha256: sha256Hex(end.result) } }
      : { kind: 'fail', message: failureOf(end), recoverable: false },
  parked: (end) => ({ kind: 'delay', ms: end.ms }),
  busy: () => ({ kind: 'delay', ms: AGAIN_MS }),
  interrupted: (end) => ({ kind: 'delay', ms: end.reason === 'shutdown' ? 0 : AGAIN_MS }),
  // How often the job was started says nothing: it is once for each step.
  crashed: (end) => ({ kind: 'delay', ms: busyDelay(end.inRow) }),
} satisfies Table;

/** The board shows no results: what it can tell about a failed plan is the step that ended it. */
function failureOf({ code, message, endedBy }: PlanEnd): string {
  return `${code}: ${message}${endedBy === undefined ? '' : ` (step ${endedBy})`}`;
}

/** What the queue is told of this end. */
export function settlePlan(end: PlanDeliveryEnd): Action {
  return (TABLE[end.kind] as (end: PlanDeliveryEnd) => Action)(end);
}
