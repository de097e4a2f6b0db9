import { WritTimeoutError } from './errors.ts';
import { type RetriedPlans, type Retryable, type RetryManyOptions, type RetryPlansOptions, retryable, retryMany } from './retry-many.ts';
import type { CallOptions, WaitOptions } from './tasks.ts';
import type { Transport } from './transport.ts';
import type {
  ApprovalList,
  ApprovalRequest,
  ApprovalView,
  BulkPlanRetryLine,
  Envelope,
  PlanCancelAnswer,
  PlanFilter,
  PlanHistory,
  PlanPage,
  PlanRecord,
  PlanRetryAnswer,
  PlanStatus,
  PlanStepRecord,
  PlanSubmission,
  PlanSubmitted,
  PlanUndoAnswer,
} from './types.ts';

export interface SubmitPlanOptions extends WaitOptions {
  /** The lease for this plan, from `leases.issuePlan`. */
  readonly lease?: string;
  /** The kernel issues the lease; needs the role `kernel` as well. */
  readonly sign?: boolean;
  /** It does not begin before; at most 366 days ahead. A lease that you bring must hold then. */
  readonly notBefore?: Date;
  /** 0, as without: before every other; then 1 before 2, up to 2,097,152. */
  readonly priority?: number;
  readonly traceparent?: string;
  /** Endpoint of the server's settings that is told of the end, beside those of the key. */
  readonly webhook?: string;
}

/** `ended`: the plan has its end. `replayed`: the server knew the same plan already; nothing was queued. */
export type SubmittedPlan =
  | { readonly ended: true; readonly replayed: boolean; readonly plan: PlanStatus }
  | { readonly ended: false; readonly replayed: boolean; readonly receipt: PlanSubmitted };

/** The answer to an action: what was begun or, after a wait, the plan that has ended. */
export type ActedOnPlan<Begun> = { readonly ended: false; readonly answer: Begun } | { readonly ended: true; readonly plan: PlanStatus };

export interface PlansApi {
  /** Pushes a plan, linked or not. Another push of the same plan has no further effect; a failed plan runs on. */
  submit(envelope: Envelope, options: SubmitPlanOptions): Promise<SubmittedPlan>;
  /** The state of a plan; with `memory` (role `operate`) also the signed end with results and memory. */
  get(planId: string, options?: WaitOptions & { readonly memory?: boolean }): Promise<PlanStatus>;
  /** Plans that wait, then those that have begun, newest change first; fetched page by page as they are read. Needs the role `read`. */
  list(filter?: PlanFilter, options?: CallOptions & { readonly pageSize?: number }): AsyncGenerator<PlanRecord, void>;
  /** The steps that have ended, with their times, in that order; fetched as they are read. Needs the role `read`. */
  history(planId: string, options?: CallOptions & { readonly pageSize?: number }): AsyncGenerator<PlanStepRecord, void>;
  /** The plan when it has ended (`success` or `failure`). Throws WritTimeoutError after `timeoutMs`; without it, waits for ever. */
  wait(planId: string, options?: CallOptions & { readonly timeoutMs?: number; readonly memory?: boolean }): Promise<PlanStatus>;
  /** Cancels a plan: it ends before its next step. */
  cancel(planId: string, options?: WaitOptions): Promise<ActedOnPlan<PlanCancelAnswer>>;
  /**
   * Continues a failed plan from where it stopped. `lease` replaces one that has expired. `regrant`: `true` under a new lease, `false` never;
   * the server decides unless given.
   */
  retry(planId: string, options?: WaitOptions & { readonly lease?: string; readonly regrant?: boolean }): Promise<ActedOnPlan<PlanRetryAnswer>>;
  /** Runs every failed plan that the filter finds on: a line for each, then the counts. Leaving the loop ends the run. */
  retryMany(filter: PlanFilter, options?: RetryManyOptions): AsyncGenerator<BulkPlanRetryLine, RetriedPlans>;
  /** How many plans `retryMany` would be about. */
  retryable(filter: PlanFilter, options?: RetryPlansOptions): Promise<Retryable<PlanFilter>>;
  /** Says yes to a step that waits; needs the role that it names. The same once more has the same answer. */
  approve(planId: string, word: ApprovalRequest, options?: CallOptions): Promise<ApprovalView>;
  /** Says no: the step fails with APPROVAL_DENIED, and its `on_error` applies. */
  deny(planId: string, word: Omit<ApprovalRequest, 'data'>, options?: CallOptions): Promise<ApprovalView>;
  /** Steps that wait for somebody, the nearest deadline first; with `plan`, all that it has asked. */
  approvals(filter?: { readonly plan?: string }, options?: CallOptions): Promise<ApprovalList>;
  /** Takes back what a plan did, the last step first; asked again, the same undo: how far it is, and what each step has come to. */
  undo(planId: string, options?: WaitOptions): Promise<PlanUndoAnswer>;
}

/** One round of waiting in `wait`, seconds. */
const ROUND_S = 30;

export function createPlans(transport: Transport): PlansApi {
  const plans: PlansApi = {
    async submit(envelope, { lease, sign, notBefore, priority, traceparent, webhook, wait, signal }) {
      const query = { sign: sign === true ? 'true' : undefined, not_before: notBefore?.toISOString(), priority, webhook };
      const json: PlanSubmission = { envelope, ...(lease === undefined ? {} : { lease }), ...(traceparent === undefined ? {} : { traceparent }) };
      const answer = await transport.json<unknown>({ method: 'POST', path: '/v1/plans', query, json, wait, signal, repeatable: true });
      const replayed = answer.headers.get('idempotency-replayed') === 'true';
      if (answer.status === 200) return { ended: true, replayed, plan: answer.body as PlanStatus };
      return { ended: false, replayed, receipt: answer.body as PlanSubmitted };
    },
    async get(planId, { wait, memory, signal } = {}) {
      const query = { memory: memory === true ? 'true' : undefined };
      return (await transport.json<PlanStatus>({ method: 'GET', path: pathOf(planId), query, wait, signal, repeatable: true })).body;
    },
    async *list(filter = {}, { pageSize, signal } = {}) {
      let cursor: string | undefined;
      do {
        const query = { ...filter, limit: pageSize, cursor };
        const { body } = await transport.json<PlanPage>({ method: 'GET', path: '/v1/plans', query, signal, repeatable: true });
        yield* body.plans;
        cursor = body.next;
      } while (cursor !== undefined);
    },
    async *history(planId, { pageSize, signal } = {}) {
      let cursor: string | undefined;
      do {
        const query = { limit: pageSize, cursor };
        const { body } = await transport.json<PlanHistory>({ method: 'GET', path: `${pathOf(planId)}/history`, query, signal, repeatable: true });
        yield* body.steps;
        cursor = body.next;
      } while (cursor !== undefined);
    },
    async wait(planId, { timeoutMs = Number.POSITIVE_INFINITY, memory = false, signal } = {}) {
      const end = performance.now() + timeoutMs;
      for (;;) {
        const wait = Math.max(0, Math.min(ROUND_S, (end - performance.now()) / 1000));
        const plan = await plans.get(planId, { wait, memory, ...(signal === undefined ? {} : { signal }) });
        if (plan.state === 'success' || plan.state === 'failure') return plan;
        if (performance.now() >= end) throw new WritTimeoutError(planId, timeoutMs, plan.paused_queue);
      }
    },
    approve: (planId, word, options) => answer(planId, 'approve', word, options),
    deny: (planId, word, options) => answer(planId, 'deny', word, options),
    async approvals({ plan } = {}, { signal } = {}) {
      return (await transport.json<ApprovalList>({ method: 'GET', path: '/v1/approvals', query: { plan }, signal, repeatable: true })).body;
    },
    cancel: (planId, options = {}) => act(planId, 'cancel', options),
    async undo(planId, { wait, signal } = {}) {
      return (await transport.json<PlanUndoAnswer>({ method: 'POST', path: `${pathOf(planId)}/undo`, wait, signal, repeatable: true })).body;
    },
    retryMany: (filter, options = {}) => retryMany('/v1/plans/retry', filter, options, transport.settings),
    retryable: (filter, options = {}) => retryable('/v1/plans/retry', filter, options, transport.settings),
    retry(planId, { lease, regrant, ...options } = {}) {
      const terms = { ...(lease === undefined ? {} : { lease }), ...(regrant === undefined ? {} : { regrant }) };
      return act(planId, 'retry', options, Object.keys(terms).length === 0 ? undefined : terms);
    },
  };

  /** The step is named, so the same word may be sent again. */
  async function answer(planId: string, action: string, word: ApprovalRequest, { signal }: CallOptions = {}): Promise<ApprovalView> {
    return (await transport.json<ApprovalView>({ method: 'POST', path: `${pathOf(planId)}/${action}`, json: word, signal, repeatable: true })).body;
  }

  /** Sends an action once: the first may have been carried out, and a second would be another action. */
  async function act<Begun>(planId: string, action: string, { wait, signal }: WaitOptions, json?: object): Promise<ActedOnPlan<Begun>> {
    const { status, body } = await transport.json<unknown>({ method: 'POST', path: `${pathOf(planId)}/${action}`, json, wait, signal, repeatable: false });
    return status === 200 ? { ended: true, plan: body as PlanStatus } : { ended: false, answer: body as Begun };
  }
  return plans;
}

function pathOf(planId: string): string {
  return `/v1/plans/${encodeURIComponent(planId)}`;
}
