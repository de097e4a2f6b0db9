import { z } from 'zod';
import { Sha256Hex, TaskId } from './ids.ts';

/** Approvals: steps that wait for somebody with a role (docs/plan-protocol.md 10). */

/** The tool of such steps. Bound to capabilities of ours, it has rules of its own. */
export const APPROVAL_TOOL = 'writ.approval';

/** Its operation, and what the lease of a plan must allow for such a step. */
export const APPROVAL = 'APPROVAL';

/** Roles of which a step may ask an answer. */
export const APPROVER_ROLES = ['approve', 'operate', 'kernel'] as const;
export const ApproverRole = z.enum(APPROVER_ROLES);
export type ApproverRole = z.infer<typeof ApproverRole>;

/** What a step asks, of whom, and how long it waits. */
export const ApprovalInputs = z.strictObject({
  role: ApproverRole,
  question: z.string().min(1).max(2_000),
  deadline_s: z.int().min(1).max(31_536_000),
});
export type ApprovalInputs = z.infer<typeof ApprovalInputs>;

const Time = z.iso.datetime({ precision: 3 });

/** What somebody says to an approval. */
export const ApprovalAnswer = z.enum(['approve', 'deny']);
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

/** `withdrawn`: open for the kernel, of a plan that has ended meanwhile. */
export const ApprovalState = z.enum(['open', 'approved', 'denied', 'expired', 'withdrawn']);
export type ApprovalState = z.infer<typeof ApprovalState>;

/** `POST /v1/plans/:id/approve` and `/deny`. */
export const ApprovalRequest = z.strictObject({
  /** `task_id` of the step that is answered: never the next question by mistake. */
  step: TaskId,
  /** Why; stands in the result of the step. */
  note: z.string().min(1).max(1_000).optional(),
  /** For an approval only: what the plan sees at `$.data.data`, at most 16 KiB. */
  data: z.record(z.string(), z.unknown()).optional(),
});
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

/** An approval as the kernel has it. */
export const ApprovalView = z.strictObject({
  plan_id: Sha256Hex,
  /** `task_id` of the step. */
  step: TaskId,
  path: z.string(),
  role: ApproverRole,
  question: z.string(),
  state: ApprovalState,
  asked_at: Time,
  until: Time,
  decided_at: Time.optional(),
  decided_by: z.string().optional(),
  note: z.string().optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});
export type ApprovalView = z.infer<typeof ApprovalView>;

/** `GET /v1/approvals`: those that wait, the nearest deadline first; of one plan all, in the order in which they were asked. */
export const ApprovalList = z.strictObject({ approvals: z.array(ApprovalView) });
export type ApprovalList = z.infer<typeof ApprovalList>;
