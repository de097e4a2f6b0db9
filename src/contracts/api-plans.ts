import { z } from 'zod';
import { Problem } from './api.ts';
import { ApproverRole } from './approval.ts';
import { HELD_PLAN } from './held.ts';
import { Sha256Hex } from './ids.ts';
import { PlanResult } from './plan-job.ts';
import { PlanLeaseToken } from './plan-lease.ts';

/** Plans over HTTP: what travels beside the contracts of envelopes and results. */

const Time = z.iso.datetime({ precision: 3 });

/** An envelope of either form, linked or not. What is in it is judged when it is linked. */
const AnyEnvelope = z.record(z.string(), z.unknown());

/** One plan for `POST /v1/plans`. The lease is over the linked envelope. */
export const PlanSubmission = z.strictObject({
  v: z.literal(1).optional(),
  envelope: AnyEnvelope,
  lease: PlanLeaseToken.optional(),
  traceparent: z.string().max(64).optional(),
});
export type PlanSubmission = z.infer<typeof PlanSubmission>;

export const ShownPlanState = z.enum(['waiting', 'running', 'success', 'failure']);
export type ShownPlanState = z.infer<typeof ShownPlanState>;

/** The push was taken. How the plan stands lies under `location`. */
export const PlanSubmitted = z.strictObject({
  /** `plan_sha256`: the hash of the linked envelope. */
  plan_id: Sha256Hex,
  /** `accepted`: queued. `in_flight`: the same plan waits or runs. `retried`: the failed plan runs on from where it stopped. */
  receipt: z.enum(['accepted', 'in_flight', 'retried']),
  queue: z.string(),
  location: z.string(),
  ...HELD_PLAN,
});
export type PlanSubmitted = z.infer<typeof PlanSubmitted>;

/** A plan as `GET /v1/plans/:id` shows it. */
export const PlanStatus = z.strictObject({
  plan_id: Sha256Hex,
  state: ShownPlanState,
  /** While it waits: it does not begin before. */
  not_before: Time.optional(),
  /** Steps that have an answer. */
  steps_done: z.int().min(0),
  /** The step that is under way: its place, and the task that it became. */
  current: z
    .strictObject({
      path: z.string(),
      tool: z.string(),
      operation: z.string(),
      task_id: z.string().optional(),
      /** What the step waits for, and until when: the backoff of a declared retry, or the word of somebody with a role. */
      waits: z.strictObject({ for: z.enum(['retry', 'approval']), until: Time, role: ApproverRole.optional() }).optional(),
    })
    .optional(),
  cancel_requested: z.boolean(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  updated_at: Time,
  /** The signed end (`plan-result.schema.json`), which holds results and memory: only for those who may see them, and ask. */
  result: PlanResult.optional(),
  ...HELD_PLAN,
});
export type PlanStatus = z.infer<typeof PlanStatus>;

/** What a list of plans is about. Every field narrows. */
export const PlanFilter = z.strictObject({
  state: ShownPlanState.optional(),
  error_code: z.string().min(1).max(64).optional(),
  /** Last change at or after. */
  since: z.iso.datetime({ offset: true }).optional(),
  /** Last change before. */
  until: z.iso.datetime({ offset: true }).optional(),
});
export type PlanFilter = z.infer<typeof PlanFilter>;

/** A plan of a list. */
export const PlanRecord = z.strictObject({
  plan_id: Sha256Hex,
  state: ShownPlanState,
  /** While it waits: it does not begin before. */
  not_before: Time.optional(),
  steps_done: z.int().min(0),
  /** Place of the step that is under way. */
  current: z.string().optional(),
  cancel_requested: z.boolean(),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  updated_at: Time,
});
export type PlanRecord = z.infer<typeof PlanRecord>;

/** A page of plans: those that wait first, then by their last change, the newest first. `next`: cursor of the following page. */
export const PlanPage = z.strictObject({ plans: z.array(PlanRecord), next: z.string().optional() });
export type PlanPage = z.infer<typeof PlanPage>;

/** A step of a plan that has an answer. */
export const PlanStepRecord = z.strictObject({
  path: z.string(),
  task_id: z.string(),
  /** Retries that had voided this place before. */
  generation: z.int().min(0),
  /** Number of the attempt, from the second on: a declared retry. */
  attempt: z.int().min(2).optional(),
  capability_id: z.string().optional(),
  state: z.enum(['success', 'failure']),
  error_code: z.string().optional(),
  /** A retry of the plan has taken its word away. */
  voided: z.boolean(),
  /** Since when it was the step's turn; absent in a plan that ran before this was kept. */
  since: Time.optional(),
  ended_at: Time.optional(),
});
export type PlanStepRecord = z.infer<typeof PlanStepRecord>;

/** What a plan has done so far, a page of its steps in the order in which they ended. */
export const PlanHistory = z.strictObject({
  plan_id: Sha256Hex,
  state: ShownPlanState,
  /** How often it was retried. */
  retries: z.int().min(0),
  updated_at: Time,
  steps: z.array(PlanStepRecord),
  next: z.string().optional(),
});
export type PlanHistory = z.infer<typeof PlanHistory>;

/** A change of a plan, as `GET /v1/events` streams it in events of type `plan`. */
export const PlanEvent = z.strictObject({
  plan_id: Sha256Hex,
  state: ShownPlanState,
  steps_done: z.int().min(0),
  /** Place of the step that is under way. */
  current: z.string().optional(),
  error_code: z.string().optional(),
  at: Time,
});
export type PlanEvent = z.infer<typeof PlanEvent>;

/** `POST /v1/leases` for a plan. */
export const PlanLeaseRequest = z.strictObject({
  envelope: AnyEnvelope,
  /** What the plan may do: capabilities, `TOOL_CALL` or `TOOL_CALL:<tool>`; exactly what it can reach unless given. */
  capabilities: z.array(z.string().min(1).max(192)).max(256).optional(),
  /** Scopes that its steps may name; any unless given. */
  scopes: z.array(z.string().min(1).max(4096)).max(64).optional(),
  /** Life of the lease, seconds. */
  ttl: z.int().min(1).optional(),
  /** From when it counts; at once unless given, at most 366 days ahead. */
  not_before: z.iso.datetime({ offset: true }).optional(),
});
export type PlanLeaseRequest = z.infer<typeof PlanLeaseRequest>;

export const PlanLeaseAnswer = z.strictObject({
  plan_id: Sha256Hex,
  lease: PlanLeaseToken,
  capabilities: z.array(z.string()),
  /** The linked envelope, over which the lease is; linking it again changes nothing. */
  envelope: AnyEnvelope,
});
export type PlanLeaseAnswer = z.infer<typeof PlanLeaseAnswer>;

/** `POST /v1/plans/:id/retry`. */
export const PlanRetryRequest = z.strictObject({
  /** Replaces the lease of the plan, for one that has expired. */
  lease: PlanLeaseToken.optional(),
  /** `true`: under a new lease in any case; `false`: never. Absent: when the old lease has expired, as `board.regrant` says. Not with `lease`. */
  regrant: z.boolean().optional(),
});
export type PlanRetryRequest = z.infer<typeof PlanRetryRequest>;

/** The plan runs on; its outcome lies under `location`. */
export const PlanRetryAnswer = z.strictObject({ plan_id: Sha256Hex, regranted: z.boolean(), location: z.string(), ...HELD_PLAN });
export type PlanRetryAnswer = z.infer<typeof PlanRetryAnswer>;

/** `POST /v1/plans/retry`: every failed plan that the filter finds. */
export const BulkPlanRetryRequest = z.strictObject({
  filter: PlanFilter,
  regrant: z.boolean().optional(),
  /** At most so many plans. */
  limit: z.int().min(1).max(10_000_000).optional(),
});
export type BulkPlanRetryRequest = z.infer<typeof BulkPlanRetryRequest>;

/** One line of the answer to a bulk retry of plans; the last line is a BulkPlanRetrySummary. */
export const BulkPlanRetryLine = z.strictObject({
  plan_id: z.string(),
  outcome: z.enum(['retried', 'refused']),
  code: z.string().optional(),
  message: z.string().optional(),
});
export type BulkPlanRetryLine = z.infer<typeof BulkPlanRetryLine>;

export const BulkPlanRetrySummary = z.strictObject({
  summary: z.strictObject({ plans: z.int(), retried: z.int(), refused: z.int() }),
  /** Unless the filter finds no more: the filter that goes on with what is left. */
  rest: PlanFilter.optional(),
  /** Why it ended before all were asked. */
  problem: Problem.optional(),
});
export type BulkPlanRetrySummary = z.infer<typeof BulkPlanRetrySummary>;

/** `planned`: the undo takes it back. `nothing`: it had no effect that stands. `impossible`: here the undo stops. `not_reached`: before that. */
export const UndoPart = z.enum(['planned', 'nothing', 'impossible', 'not_reached']);
export type UndoPart = z.infer<typeof UndoPart>;

/** A step of a plan, as its undo sees it. */
export const PlanUndoStep = z.strictObject({
  path: z.string(),
  task_id: z.string(),
  capability_id: z.string().optional(),
  undo: UndoPart,
  /** Why there is nothing to take back, or why it cannot be. */
  why: z.string().optional(),
  /** How it went, once the undo has come to it. */
  result: z.enum(['undone', 'failed']).optional(),
  error_code: z.string().optional(),
});
export type PlanUndoStep = z.infer<typeof PlanUndoStep>;

/** `POST /v1/plans/:id/undo`: the plan that takes the other one back, the last step first. */
export const PlanUndoAnswer = z.strictObject({
  /** The plan that does it; how it stands lies under `location`. */
  plan_id: Sha256Hex,
  undo_of: Sha256Hex,
  receipt: z.enum(['accepted', 'in_flight', 'retried', 'finished']),
  state: ShownPlanState,
  /** Everything that had an effect is taken back or will be; false: it stops at a step that cannot be. */
  whole: z.boolean(),
  /** In the order of the undo. */
  steps: z.array(PlanUndoStep),
  location: z.string(),
  ...HELD_PLAN,
});
export type PlanUndoAnswer = z.infer<typeof PlanUndoAnswer>;

/** The plan ends before its next step; one that is under way is finished. */
export const PlanCancelAnswer = z.strictObject({ plan_id: Sha256Hex, cancel: z.literal('requested'), location: z.string(), ...HELD_PLAN });
export type PlanCancelAnswer = z.infer<typeof PlanCancelAnswer>;
