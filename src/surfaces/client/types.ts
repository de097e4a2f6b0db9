/**
 * Bodies of requests and answers, in plain TypeScript, so that users of the client need no zod. A test compares every type
 * with the contract that the server checks. Names are those on the wire; times are RFC 3339 with milliseconds.
 */

import type { FieldFault, Problem } from './problem-types.ts';

export type * from './approval-types.ts';
export type * from './plan-types.ts';
export type * from './problem-types.ts';
export type * from './queue-types.ts';
export type * from './session-types.ts';

export type ShownState = 'waiting' | 'delayed' | 'running' | 'success' | 'failure';

export type ResultErrorCode =
  | 'UNSUPPORTED_CAPABILITY'
  | 'INVALID_LEASE'
  | 'LEASE_EXPIRED'
  | 'EXECUTION_FAILED'
  | 'RESOURCE_EXHAUSTED'
  | 'INVALID_QUERY'
  | 'SCOPE_NOT_ALLOWED'
  | 'SCOPE_UNAVAILABLE'
  | 'TOOL_FAILED'
  | 'TOOL_UNAVAILABLE'
  | 'TOOL_OUTCOME_UNKNOWN'
  | 'APPROVAL_DENIED'
  | 'APPROVAL_EXPIRED';

/** A manifest of any capability; `ManifestOf` has the inputs of each. A lease is for exactly these values. */
export interface TaskManifest {
  task_id: string;
  capability_id: string;
  inputs: Record<string, unknown>;
  constraints: TaskConstraints;
  provenance?: TaskProvenance | undefined;
}

export interface TaskConstraints {
  /** Directory within which all paths must lie. */
  scope?: string | undefined;
  reversible?: boolean | undefined;
  sensitivity?: 'LOW' | 'MEDIUM' | 'HIGH' | undefined;
  hrc_required?: boolean | undefined;
}

export interface TaskProvenance {
  ast_hash?: string | undefined;
  undo_of?: string | undefined;
  plan_sha256?: string | undefined;
  step?: string | undefined;
}

/** One task of a bulk push. */
export interface TaskSubmission {
  v?: 1 | undefined;
  manifest: TaskManifest;
  lease?: string | undefined;
  traceparent?: string | undefined;
}

/** The answer to a task, signed by its executor. */
export type ExecutionResult<Output = Record<string, unknown>> =
  | { status: 'SUCCESS'; output: Output; error: null; signature: string }
  | { status: 'FAILURE'; output: null; error: { error_code: ResultErrorCode; message: string }; signature: string };

/** What a push would meet. `none`: without authority no file is looked at. */
export interface DryRun {
  dry_run: true;
  task_id: string;
  capability_id: string;
  manifest_sha256: string;
  would: 'run' | 'join' | 'replay' | 'refuse';
  authority: 'lease' | 'grantable' | 'none';
  /** Of a file task, as the files stand on the server's host. */
  effect?:
    | { operation?: 'move' | 'copy' | 'delete' | undefined; source?: string | undefined; destination?: string | undefined; bytes?: number | undefined }
    | undefined;
  obstacles: { code: string; field?: string | undefined; message: string }[];
}

export interface TaskReceipt {
  task_id: string;
  receipt: 'accepted' | 'in_flight' | 'retried';
  queue: string;
  location: string;
  /** The wait was in vain because its queue is paused. */
  queue_paused?: true | undefined;
}

/** Why a task failed (docs/generated/errors.md). */
export type FailureReason =
  | 'bad_request'
  | 'unsupported'
  | 'lease_invalid'
  | 'lease_expired'
  | 'scope_not_allowed'
  | 'outside_base'
  | 'source_missing'
  | 'destination_taken'
  | 'directory_missing'
  | 'wrong_type'
  | 'changed_meanwhile'
  | 'too_large'
  | 'id_conflict'
  | 'undo_refused'
  | 'cancelled'
  | 'lease_revoked'
  | 'lease_clock'
  | 'io_error'
  | 'disk_full'
  | 'vault_full'
  | 'permission_denied'
  | 'file_system_unfit'
  | 'place_exchanged'
  | 'outcome_unknown'
  | 'worker_lost'
  | 'worker_fault'
  | 'time_limit'
  | 'host_limit'
  | 'source_unreadable'
  | 'tool_unavailable'
  | 'approval_denied'
  | 'approval_expired'
  | 'tool_failed'
  | 'tool_outcome_unknown'
  | 'unexplained';

/** The state of a task. A task that has ended has `result`, or `message` when the job was no valid task. */
export interface TaskView<Output = Record<string, unknown>> {
  task_id: string;
  state: ShownState;
  capability_id?: string | undefined;
  queue?: string | undefined;
  manifest_sha256?: string | undefined;
  result?: ExecutionResult<Output> | undefined;
  /** Why it failed, and who can mend it; follows from the result (docs/generated/errors.md). */
  cause?: { reason: FailureReason; whose: 'producer' | 'host' | 'tool' } | undefined;
  message?: string | undefined;
  cancel_requested?: boolean | undefined;
  /** It waits in a queue that is paused. */
  queue_paused?: true | undefined;
  since?: string | undefined;
  attempts?: number | undefined;
  submitted_at?: string | undefined;
  /** Its producer did not want it to begin before. */
  not_before?: string | undefined;
  lease_expires_at?: string | undefined;
}

/** A row of the task index. */
export interface TaskRecord {
  task_id: string;
  capability_id: string;
  queue: string;
  state: ShownState;
  error_code?: string | undefined;
  message?: string | undefined;
  source_path?: string | undefined;
  destination_path?: string | undefined;
  plan?: string | undefined;
  attempts: number;
  submitted_at: string;
  updated_at: string;
  lease_expires_at?: string | undefined;
}

export interface TaskPage {
  tasks: TaskRecord[];
  next?: string | undefined;
}

/** A filter of tasks; all fields must match. */
export interface TaskFilter {
  state?: ShownState | undefined;
  capability?: string | undefined;
  error_code?: string | undefined;
  /** Beginning of the source or the destination path, whole components. */
  path?: string | undefined;
  plan?: string | undefined;
  /** Last change at or after. */
  since?: string | undefined;
  /** Last change before. */
  until?: string | undefined;
}

export interface TaskEvent {
  id: number;
  task_id: string;
  capability_id: string;
  state: ShownState;
  error_code?: string | undefined;
  at: string;
}

export interface LeaseRequest {
  manifest: TaskManifest;
  ttl?: number | undefined;
  not_before?: string | undefined;
  confirmed_by?: string | undefined;
}

export interface LeaseAnswer {
  task_id: string;
  lease: string;
}

/** The receipt of one task. `line` counts from 1 over all tasks that were given. `finished`: it succeeded before, and does not run again. */
export interface BulkReceipt {
  line: number;
  task_id?: string | undefined;
  receipt: 'accepted' | 'in_flight' | 'retried' | 'finished' | 'rejected';
  code?: string | undefined;
  field?: string | undefined;
  message?: string | undefined;
  /** Of a line that is no task: everything that is wrong with it. */
  problems?: FieldFault[] | undefined;
}

export interface BulkSummary {
  summary: { lines: number; accepted: number; in_flight: number; retried: number; finished: number; rejected: number };
  problem?: Problem | undefined;
}

export interface RetryAnswer {
  task_id: string;
  regranted: boolean;
  location: string;
  /** The wait was in vain because its queue is paused. */
  queue_paused?: true | undefined;
}

/** The answer to an undo. `task_id` is that of the task that takes the effect back. */
export interface UndoAnswer {
  task_id: string;
  undo_of: string;
  receipt: 'accepted' | 'in_flight' | 'retried' | 'finished';
  location: string;
  /** The wait was in vain because its queue is paused. */
  queue_paused?: true | undefined;
}

/** The answer to a cancel. `cancelled`: nothing was done. `requested`: the task may have come too far; its outcome tells. */
export interface CancelAnswer {
  task_id: string;
  cancel: 'cancelled' | 'requested';
  state?: ShownState | undefined;
  /** The wait was in vain because its queue is paused. */
  queue_paused?: true | undefined;
}

export interface BulkRetryRequest {
  filter: TaskFilter;
  regrant?: boolean | undefined;
  limit?: number | undefined;
}

export interface BulkRetryLine {
  task_id: string;
  outcome: 'retried' | 'refused';
  code?: string | undefined;
  message?: string | undefined;
}

export interface BulkRetrySummary {
  summary: { tasks: number; retried: number; refused: number };
  /** Unless the filter finds no more: the filter that goes on with what is left. */
  rest?: TaskFilter | undefined;
  problem?: Problem | undefined;
}

/** A JWKS (RFC 7517) of Ed25519 keys. */
export interface KeySet {
  keys: Record<string, unknown>[];
}
