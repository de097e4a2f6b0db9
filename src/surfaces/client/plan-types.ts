/** What travels about plans, in plain TypeScript as `types.ts`. */

import type { Problem } from './problem-types.ts';

/** An envelope of either form (docs/plans.md), linked or not. */
export type Envelope = Record<string, unknown>;

export interface PlanSubmission {
  v?: 1 | undefined;
  envelope: Envelope;
  lease?: string | undefined;
  traceparent?: string | undefined;
}

export type ShownPlanState = 'waiting' | 'running' | 'success' | 'failure';

/** A plan that was pushed. `plan_id` is the hash of the linked envelope. */
export interface PlanSubmitted {
  plan_id: string;
  receipt: 'accepted' | 'in_flight' | 'retried';
  queue: string;
  location: string;
  /** The wait was in vain because this queue is paused. */
  paused_queue?: string | undefined;
}

/** The state of a plan. `result` is present only where it was asked for. */
export interface PlanStatus {
  plan_id: string;
  state: ShownPlanState;
  /** While it waits: it does not begin before. */
  not_before?: string | undefined;
  steps_done: number;
  current?:
    | {
        path: string;
        tool: string;
        operation: string;
        task_id?: string | undefined;
        /** What the step waits for: the backoff of a declared retry, or the word of somebody with a role. */
        waits?: { for: 'retry' | 'approval'; until: string; role?: 'approve' | 'operate' | 'kernel' | undefined } | undefined;
      }
    | undefined;
  cancel_requested: boolean;
  error?: { code: string; message: string } | undefined;
  updated_at: string;
  result?: PlanResult | undefined;
  /** A paused queue in which it, or its step, waits. */
  paused_queue?: string | undefined;
}

/** The end of a plan, signed by its executor over `{plan_sha256, envelope}` in canonical form. */
export interface PlanResult {
  plan_sha256: string;
  envelope: ResultEnvelope;
  signature: string;
}

export interface ResultEnvelope {
  header: { id: string; version: string; timestamp: string; source: string; destination: string; type: string; trace_id?: string | undefined };
  output: {
    results: PlanResultEntry[];
    memory: PlanMemory;
    trace?: PlanTraceItem[] | undefined;
    debug?: { stepCount: number; maxDepthReached: number; registry: { sha256: string; sources: Record<string, 'files' | 'fallback'> } } | undefined;
  };
  error: PlanError | null;
}

export interface PlanMemory {
  session_id: string;
  state: Record<string, unknown>;
  stack?: string[] | undefined;
}

export interface PlanError {
  code: string;
  message: string;
  details?: Record<string, unknown> | null | undefined;
}

/** The answer of one concrete step, in the order of the steps. */
export type PlanResultEntry =
  | { ok: true; data: Record<string, unknown> | null; error: null; stepId: string; ref: string; meta?: Record<string, unknown> | undefined }
  | { ok: false; data: null; error: PlanError; stepId: string; ref: string; meta?: Record<string, unknown> | undefined };

export type PlanTraceItem = { ok: boolean; stepId: string; path: string; ref: string } | { skipped: true; stepId: string; path: string; ref: string };

export interface PlanLeaseRequest {
  envelope: Envelope;
  capabilities?: string[] | undefined;
  scopes?: string[] | undefined;
  ttl?: number | undefined;
  not_before?: string | undefined;
}

export interface PlanLeaseAnswer {
  plan_id: string;
  lease: string;
  capabilities: string[];
  envelope: Envelope;
}

export interface PlanRetryRequest {
  lease?: string | undefined;
  regrant?: boolean | undefined;
}

export interface PlanRetryAnswer {
  plan_id: string;
  regranted: boolean;
  location: string;
  /** The wait was in vain because this queue is paused. */
  paused_queue?: string | undefined;
}

export interface PlanCancelAnswer {
  plan_id: string;
  cancel: 'requested';
  location: string;
  /** The wait was in vain because this queue is paused. */
  paused_queue?: string | undefined;
}

export interface BulkPlanRetryRequest {
  filter: PlanFilter;
  regrant?: boolean | undefined;
  limit?: number | undefined;
}

export interface BulkPlanRetryLine {
  plan_id: string;
  outcome: 'retried' | 'refused';
  code?: string | undefined;
  message?: string | undefined;
}

export interface BulkPlanRetrySummary {
  summary: { plans: number; retried: number; refused: number };
  /** Unless the filter finds no more: the filter that goes on with what is left. */
  rest?: PlanFilter | undefined;
  problem?: Problem | undefined;
}

/** A change of a plan in the stream of events. */
export interface PlanEvent {
  plan_id: string;
  state: ShownPlanState;
  steps_done: number;
  current?: string | undefined;
  error_code?: string | undefined;
  at: string;
}

/** What a list of plans is about. Every field narrows; times in RFC 3339. */
export interface PlanFilter {
  state?: ShownPlanState | undefined;
  error_code?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

/** A plan of a list. */
export interface PlanRecord {
  plan_id: string;
  state: ShownPlanState;
  /** While it waits: it does not begin before. */
  not_before?: string | undefined;
  steps_done: number;
  /** Place of the step that is under way. */
  current?: string | undefined;
  cancel_requested: boolean;
  error?: { code: string; message: string } | undefined;
  updated_at: string;
}

export interface PlanPage {
  plans: PlanRecord[];
  next?: string | undefined;
}

/** A step that has an answer. `voided`: a retry of the plan has taken its word away. `since`: when its turn began. */
export interface PlanStepRecord {
  path: string;
  task_id: string;
  generation: number;
  attempt?: number | undefined;
  capability_id?: string | undefined;
  state: 'success' | 'failure';
  error_code?: string | undefined;
  voided: boolean;
  since?: string | undefined;
  ended_at?: string | undefined;
}

export interface PlanHistory {
  plan_id: string;
  state: ShownPlanState;
  retries: number;
  updated_at: string;
  steps: PlanStepRecord[];
  next?: string | undefined;
}

/** A step of a plan, as its undo sees it. */
export interface PlanUndoStep {
  path: string;
  task_id: string;
  capability_id?: string | undefined;
  undo: 'planned' | 'nothing' | 'impossible' | 'not_reached';
  why?: string | undefined;
  result?: 'undone' | 'failed' | undefined;
  error_code?: string | undefined;
}

/** The plan that takes another one back, the last step first. */
export interface PlanUndoAnswer {
  plan_id: string;
  undo_of: string;
  receipt: 'accepted' | 'in_flight' | 'retried' | 'finished';
  state: 'waiting' | 'running' | 'success' | 'failure';
  /** False: it stops at a step that cannot be taken back. */
  whole: boolean;
  steps: PlanUndoStep[];
  location: string;
  /** The wait was in vain because this queue is paused. */
  paused_queue?: string | undefined;
}
