import { sha256Hex } from '../../src/core/hash.ts';
import type { PlanEnd } from '../../src/core/ports/index.ts';
import { createQueueWorker, type QueueWorker, type QueueWorkerOptions } from '../queue-worker.ts';
import { type Action, busyDelay, type JobAttempts } from '../settle.ts';
import type { PlanDeliveryEnd, PlanDeps } from './context.ts';
import { deliverPlan } from './deliver.ts';
import { createParkedPlans } from './replay.ts';

/** `p_<plan_sha256>`, as `queues/plan-jobs.ts` makes it; another producer may choose another id. */
const JOB_ID = /^p_([0-9a-f]{64})$/;

/** Serves the plan queue until stopped. A plan that waits for a step holds no slot: its job is parked. */
export function createPlanWorker(options: QueueWorkerOptions, deps: PlanDeps): QueueWorker {
  const parked = createParkedPlans(deps);
  const { around = (_delivery, work) => work() } = deps;
  const tell = (jobId: string, what: (planSha256: string) => Promise<unknown>): void => {
    const planSha256 = JOB_ID.exec(jobId)?.[1];
    if (planSha256 !== undefined) void what(planSha256).catch(options.onError);
  };
  return createQueueWorker(
    {
      ...options,
      onStalled(jobId) {
        options.onStalled?.(jobId);
        tell(jobId, deps.journal.lose);
      },
      onFailed: (jobId) => tell(jobId, deps.journal.settle),
    },
    {
      clock: deps.clock,
      inFlight: deps.inFlight,
      async handle(delivery, running, tries) {
        const end = await around(delivery, () => deliverPlan(delivery, running, parked, deps));
        const action = settlePlan(end, tries);
        if (end.kind !== 'parked') return { action };
        // An answer that came before the job was parked has woken nobody.
        const afterDelay = async (): Promise<void> => {
          const planSha256 = JOB_ID.exec(delivery.jobId)?.[1];
          if (planSha256 !== undefined && (await end.isAnswered())) await deps.jobs.promote(planSha256);
        };
        return { action, afterDelay };
      },
    },
  );
}

type Table = { readonly [K in PlanDeliveryEnd['kind']]: (end: Extract<PlanDeliveryEnd, { kind: K }>, tries: JobAttempts) => Action };

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
  crashed: (_end, tries) => ({ kind: 'delay', ms: busyDelay(tries.started) }),
} satisfies Table;

/** The board shows no results: what it can tell about a failed plan is the step that ended it. */
function failureOf({ code, message, endedBy }: PlanEnd): string {
  return `${code}: ${message}${endedBy === undefined ? '' : ` (step ${endedBy})`}`;
}

/** What the queue is told of this end. */
function settlePlan(end: PlanDeliveryEnd, tries: JobAttempts): Action {
  return (TABLE[end.kind] as (end: PlanDeliveryEnd, tries: JobAttempts) => Action)(end, tries);
}
