import { z } from 'zod';
import { ApprovalAnswer, ApprovalList, ApprovalRequest, ApprovalState, ApprovalView, ApproverRole, Role, Sha256Hex, TaskId } from '../../contracts/index.ts';
import type { ApprovalDecision, StoredApproval } from '../../core/ports/index.ts';

/** Approvals over the kernel's sockets. */

export const DecideBody = z.strictObject({
  plan_sha256: Sha256Hex,
  ...ApprovalRequest.shape,
  answer: ApprovalAnswer,
  roles: z.array(Role).max(32),
  by: z.string().min(1).max(256).optional(),
});
export const ListBody = z.strictObject({ plan: Sha256Hex.optional() });
export const ApprovalReply = ApprovalView;
export const ApprovalListReply = ApprovalList;

/** To the plan role, which looks at nothing but the step that it has asked for. */
export const Standing = z.object({
  task_id: TaskId,
  plan_sha256: Sha256Hex,
  path: z.string(),
  manifest_sha256: Sha256Hex,
  role: ApproverRole,
  question: z.string(),
  asked_at: z.int(),
  until: z.int(),
  decision: z
    .object({
      state: ApprovalState.exclude(['open', 'withdrawn']),
      at: z.int(),
      by: z.string().optional(),
      note: z.string().optional(),
      data: z.record(z.string(), z.json()).optional(),
    })
    .optional(),
});
type Standing = z.infer<typeof Standing>;

/** A row as it travels. */
export function standingOf({ taskId, planSha256, manifestSha256, askedAt, decision, ...row }: StoredApproval): Standing {
  const names = { task_id: taskId, plan_sha256: planSha256, manifest_sha256: manifestSha256, asked_at: askedAt };
  return decision === undefined ? { ...row, ...names } : { ...row, ...names, decision };
}

/** A row as it came. */
export function storedOf({ task_id, plan_sha256, manifest_sha256, asked_at, decision, ...row }: Standing): StoredApproval {
  const names = { taskId: task_id, planSha256: plan_sha256, manifestSha256: manifest_sha256, askedAt: asked_at };
  return { ...row, ...names, decision: decision && decisionOf(decision) };
}

function decisionOf({ state, at, by, note, data }: NonNullable<Standing['decision']>): ApprovalDecision {
  return { state, at, by, note, data };
}
