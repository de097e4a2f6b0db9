import { APPROVAL, ExecutionResult } from '../../contracts/index.ts';
import { approvalOutcome } from '../../core/approval-outcome.ts';
import { canonicalJson } from '../../core/canonical-json.ts';
import type { Clock } from '../../core/clock.ts';
import { WritError } from '../../core/errors.ts';
import type { PlanStep } from '../../core/plan-step.ts';
import type { ApprovalStore, StoredApproval } from '../../core/ports/index.ts';
import { expired } from './desk.ts';

/** Where the question of a step stands, which is written when the plan first stands there. Throws WritError TASK_ID_CONFLICT. */
export function askedBy(step: PlanStep, planSha256: string, store: ApprovalStore, clock: Clock): StoredApproval {
  const { approval, path, manifest, manifestSha256 } = step;
  if (approval === undefined) throw new WritError('WRONG_STATE', `the plan is at ${path}, which waits for nobody`);
  const { role, question, deadline_s } = approval;
  const now = clock.now();
  const row =
    store.approval(manifest.task_id) ??
    store.ask({ taskId: manifest.task_id, planSha256, path, manifestSha256, role, question, askedAt: now, until: now + deadline_s * 1000 });
  if (row.manifestSha256 !== manifestSha256) throw new WritError('TASK_ID_CONFLICT', `${path} has asked another question under this task_id`);
  return expired(row, store, clock) ?? row;
}

/**
 * An executor's key signs whatever the plan role wants: of an approval only what the kernel's own row says is believed.
 *
 * @param capabilityId for which the answer was signed
 * @throws WritError INVALID_RESULT
 */
export function assertDecided(step: PlanStep, answer: string, capabilityId: string, store: ApprovalStore | undefined): void {
  if (step.capability !== APPROVAL) return;
  const { status, output, error } = ExecutionResult.parse(JSON.parse(answer));
  const row = store?.approval(step.manifest.task_id);
  const says = (): boolean => {
    if (step.approval === undefined) return error?.error_code === 'TOOL_UNAVAILABLE';
    if (row === undefined || capabilityId !== APPROVAL) return false;
    if (row.manifestSha256 !== step.manifestSha256) return error?.error_code === 'TOOL_OUTCOME_UNKNOWN';
    return row.decision !== undefined && canonicalJson(approvalOutcome(row, row.decision)) === canonicalJson({ status, output, error });
  };
  if (!says()) throw new WritError('INVALID_RESULT', `the answer to ${step.path} is not what this kernel was told`, { field: 'answers' });
}
