import { z } from 'zod';
import { ExecutionResult } from './execution-result.ts';
import { FailureCause } from './failure-reason.ts';
import { HELD_TASK } from './held.ts';
import { Sha256Hex, TaskId } from './ids.ts';
import { LeaseToken, TaskJob } from './task-job.ts';
import { OfferedManifest } from './task-manifest.ts';

/** What travels over HTTP beside the contracts of the queue; names in snake case, times in RFC 3339 with milliseconds. */

/** What a key or a session may do. `operate` includes nothing else: a key carries every role that it needs. */
export const ROLES = ['submit', 'search', 'read', 'ingest', 'approve', 'operate', 'kernel'] as const;
export const Role = z.enum(ROLES);
export type Role = z.infer<typeof Role>;

const Time = z.iso.datetime({ precision: 3 });

/** States of a task as they are shown and searched. */
export const SHOWN_STATES = ['waiting', 'delayed', 'running', 'success', 'failure'] as const;
export const ShownState = z.enum(SHOWN_STATES);
export type ShownState = z.infer<typeof ShownState>;

/** One thing that is wrong with what was sent; an empty `field` means the whole of it. */
export const FieldFault = z.strictObject({ field: z.string(), message: z.string() });
export type FieldFault = z.infer<typeof FieldFault>;

const Problems = z.array(FieldFault).max(20);

/** RFC 9457. `code` is one of ours (`docs/generated/errors.md`), `field` the dotted path of what is at fault. */
export const Problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  field: z.string().optional(),
  /** Everything that is wrong with the document, at most 20; `field` and `detail` are about the first. */
  problems: Problems.optional(),
  instance: z.string().optional(),
});
export type Problem = z.infer<typeof Problem>;

/** One task for `POST /v1/tasks`. Without `lease` the task is stored and answered INVALID_LEASE, as on the raw queue. */
export const TaskSubmission = TaskJob.omit({ v: true }).extend({ v: z.literal(1).optional(), manifest: OfferedManifest });
export type TaskSubmission = z.infer<typeof TaskSubmission>;

/** The push was taken. `result` lies under `location` when the task has ended. */
export const TaskReceipt = z.strictObject({
  task_id: TaskId,
  /** `accepted`: queued. `in_flight`: the same task waits or runs. `retried`: the failed task runs again. */
  receipt: z.enum(['accepted', 'in_flight', 'retried']),
  queue: z.string(),
  /** Where to look for the outcome. */
  location: z.string(),
  ...HELD_TASK,
});
export type TaskReceipt = z.infer<typeof TaskReceipt>;

/** What `POST /v1/tasks?dry_run=true` answers: what a push would meet now. Nothing was queued, signed, recorded or reserved. */
export const DryRun = z.strictObject({
  dry_run: z.literal(true),
  task_id: TaskId,
  capability_id: z.string(),
  manifest_sha256: Sha256Hex,
  /** `run`: a new run. `join`: the same task is on its way. `replay`: it has succeeded, the answer stands. `refuse`: see `obstacles`. */
  would: z.enum(['run', 'join', 'replay', 'refuse']),
  /** `lease`: the lease holds. `grantable`: the kernel would sign one. `none`: files are not looked at. */
  authority: z.enum(['lease', 'grantable', 'none']),
  /** Of a file task: what would be done, as the files stand on the host that answers. */
  effect: z
    .strictObject({
      operation: z.enum(['move', 'copy', 'delete']).optional(),
      source: z.string().optional(),
      destination: z.string().optional(),
      bytes: z.int().min(0).optional(),
    })
    .optional(),
  /** Everything that stands in the way. */
  obstacles: z.array(z.strictObject({ code: z.string(), field: z.string().optional(), message: z.string() })).max(20),
});
export type DryRun = z.infer<typeof DryRun>;

/** A task as `GET /v1/tasks/:id` shows it. */
export const TaskView = z.strictObject({
  task_id: TaskId,
  state: ShownState,
  capability_id: z.string().optional(),
  queue: z.string().optional(),
  manifest_sha256: Sha256Hex.optional(),
  /** The exact signed ExecutionResult, once there is one. */
  result: ExecutionResult.optional(),
  /** Of a task that failed: why, and who can mend it. Follows from the result, and is no part of what is signed. */
  cause: FailureCause.optional(),
  /** Why a job that was no task at all failed. */
  message: z.string().optional(),
  cancel_requested: z.boolean().optional(),
  /** It waits in a queue that is paused: no worker takes it until somebody resumes the queue. */
  queue_paused: z.literal(true).optional(),
  /** Since when it waits or runs. */
  since: Time.optional(),
  attempts: z.int().optional(),
  submitted_at: Time.optional(),
  /** Its producer did not want it to begin before. */
  not_before: Time.optional(),
  lease_expires_at: Time.optional(),
});
export type TaskView = z.infer<typeof TaskView>;

/** One row of the task index. */
export const TaskRecord = z.strictObject({
  task_id: z.string(),
  capability_id: z.string(),
  queue: z.string(),
  state: ShownState,
  error_code: z.string().optional(),
  message: z.string().optional(),
  source_path: z.string().optional(),
  destination_path: z.string().optional(),
  plan: z.string().optional(),
  attempts: z.int(),
  submitted_at: Time,
  updated_at: Time,
  lease_expires_at: Time.optional(),
});
export type TaskRecord = z.infer<typeof TaskRecord>;

/** A page of the task index, newest change first. `next`: cursor of the following page; absent on the last. */
export const TaskPage = z.strictObject({ tasks: z.array(TaskRecord), next: z.string().optional() });
export type TaskPage = z.infer<typeof TaskPage>;

/** What a list of tasks, or a bulk retry, is about. Every field narrows. */
export const TaskFilter = z.strictObject({
  state: ShownState.optional(),
  capability: z.string().min(1).max(64).optional(),
  error_code: z.string().min(1).max(64).optional(),
  /** Beginning of the source or the destination path, whole components. */
  path: z.string().min(1).max(4096).optional(),
  plan: z.string().min(1).max(128).optional(),
  /** Last change at or after. */
  since: z.iso.datetime({ offset: true }).optional(),
  /** Last change before. */
  until: z.iso.datetime({ offset: true }).optional(),
});
export type TaskFilter = z.infer<typeof TaskFilter>;

/** A change of a task, as `GET /v1/events` streams it; `id` counts up and may be sent back as Last-Event-ID. */
export const TaskEvent = z.strictObject({
  id: z.int(),
  task_id: z.string(),
  capability_id: z.string(),
  state: ShownState,
  error_code: z.string().optional(),
  at: Time,
});
export type TaskEvent = z.infer<typeof TaskEvent>;

/** `POST /v1/leases`. */
export const LeaseRequest = z.strictObject({
  manifest: OfferedManifest,
  /** Life of the lease, seconds. */
  ttl: z.int().min(1).optional(),
  /** From when it counts; at once unless given, at most 366 days ahead. */
  not_before: z.iso.datetime({ offset: true }).optional(),
  /** Who confirmed a manifest with `hrc_required`. */
  confirmed_by: z.string().min(1).max(256).optional(),
});
export type LeaseRequest = z.infer<typeof LeaseRequest>;
export const LeaseAnswer = z.strictObject({ task_id: TaskId, lease: LeaseToken });
export type LeaseAnswer = z.infer<typeof LeaseAnswer>;

/** One line of the answer to a bulk push, in the order of the lines; the last line is a BulkSummary. */
export const BulkReceipt = z.strictObject({
  line: z.int().min(1),
  task_id: z.string().optional(),
  receipt: z.enum(['accepted', 'in_flight', 'retried', 'finished', 'rejected']),
  code: z.string().optional(),
  field: z.string().optional(),
  message: z.string().optional(),
  /** Of a line that is no task: everything that is wrong with it. */
  problems: Problems.optional(),
});
export type BulkReceipt = z.infer<typeof BulkReceipt>;
export const BulkSummary = z.strictObject({
  summary: z.strictObject({ lines: z.int(), accepted: z.int(), in_flight: z.int(), retried: z.int(), finished: z.int(), rejected: z.int() }),
  /** Why the stream ended before its input did. */
  problem: Problem.optional(),
});
export type BulkSummary = z.infer<typeof BulkSummary>;
