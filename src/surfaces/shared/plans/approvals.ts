import type { ApprovalView, Role } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import { isWritError, WritError } from '../../../core/errors.ts';
import type { ApprovalDesk, ApprovalWord, AuditLog, OperatorAction, Plans } from '../../../core/ports/index.ts';
import { hasEnded } from './view.ts';

export interface ApprovalServices {
  readonly approvals: ApprovalDesk;
  readonly plans: Pick<Plans, 'view' | 'wake'>;
  readonly audit: AuditLog;
}

/** Who answers, on which surface, with which roles. */
export type Approver = Pick<OperatorAction, 'surface' | 'who'> & { readonly roles: Iterable<Role> };

/**
 * Answers a step that waits for somebody, between two records of the audit log, and wakes the plan (docs/plan-protocol.md 10).
 *
 * @throws WritError what `ApprovalDesk.decide` throws; WRONG_STATE for a question that is open and whose plan has ended;
 * STORAGE_UNAVAILABLE (the audit log; nothing was done)
 */
export function answerApproval(word: ApprovalWord, { roles, ...operator }: Approver, services: ApprovalServices): Promise<ApprovalView> {
  const { approvals, plans, audit } = services;
  const entry = { ...operator, action: `plan.${word.answer}`, subject: word.planSha256, detail: { step: word.taskId } } as const;
  return audited(audit, entry, async () => {
    await assertAwaited(word, services);
    const view = await approvals.decide(word, [...roles]);
    await wake(word.planSha256, plans);
    return view;
  });
}

/** A word about a plan that has ended would wait for its retry, which nobody has in mind; what was decided before may be asked again. */
async function assertAwaited({ planSha256, taskId }: ApprovalWord, { approvals, plans }: ApprovalServices): Promise<void> {
  const view = await plans.view(planSha256);
  if (view === undefined || !hasEnded(view)) return;
  const asked = (await approvals.list(planSha256)).find(({ step }) => step === taskId);
  if (asked?.state === 'open') throw new WritError('WRONG_STATE', `plan ${planSha256} has ended: it waits for nobody`);
}

/** The decision stands: where Redis does not hear of it now, the plan comes back by itself. */
async function wake(planSha256: string, plans: Pick<Plans, 'wake'>): Promise<void> {
  try {
    await plans.wake(planSha256);
  } catch (error) {
    if (!isWritError(error) || error.code !== 'REDIS_UNAVAILABLE') throw error;
  }
}

/** The one question for which a plan waits now. Throws WritError WRONG_STATE. */
export async function openApproval(planSha256: string, approvals: Pick<ApprovalDesk, 'list'>): Promise<ApprovalView> {
  const open = (await approvals.list(planSha256)).findLast(({ state }) => state === 'open');
  if (open === undefined) throw new WritError('WRONG_STATE', `plan ${planSha256} waits for nobody's word now`);
  return open;
}
