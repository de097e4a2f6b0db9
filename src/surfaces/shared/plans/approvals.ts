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

/** Plans that are looked at together. */
const CHUNK = 50;

/**
 * What the kernel has, as it can be answered: an open question of a plan that has ended is `withdrawn` until a retry stands there
 * again, and is none of those that wait. Where nobody can see whether a plan has ended, the kernel's word is shown.
 *
 * @param planSha256 everything that this plan has asked; `undefined`: what waits, of all
 */
export async function shownApprovals(planSha256: string | undefined, { approvals, plans }: ShownServices): Promise<readonly ApprovalView[]> {
  const rows = await approvals.list(planSha256);
  const asking = [...new Set(rows.filter(({ state }) => state === 'open').map(({ plan_id }) => plan_id))];
  const ended = new Set<string>();
  for (let at = 0; at < asking.length; at += CHUNK) {
    const chunk = asking.slice(at, at + CHUNK);
    const ends = await Promise.all(chunk.map((id) => isOver(id, plans)));
    for (const [index, id] of chunk.entries()) if (ends[index]) ended.add(id);
  }
  const shown = rows.map((row) => (row.state === 'open' && ended.has(row.plan_id) ? { ...row, state: 'withdrawn' as const } : row));
  return planSha256 === undefined ? shown.filter(({ state }) => state === 'open') : shown;
}

export interface ShownServices {
  readonly approvals: Pick<ApprovalDesk, 'list'>;
  readonly plans: Pick<Plans, 'view'>;
}

async function isOver(planSha256: string, plans: Pick<Plans, 'view'>): Promise<boolean> {
  try {
    const view = await plans.view(planSha256);
    return view !== undefined && hasEnded(view);
  } catch (error) {
    // Redis is away, or what stands there proves no end.
    if (isWritError(error)) return false;
    throw error;
  }
}

/** The one question for which a plan waits now. Throws WritError WRONG_STATE. */
export async function openApproval(planSha256: string, approvals: Pick<ApprovalDesk, 'list'>): Promise<ApprovalView> {
  const open = (await approvals.list(planSha256)).findLast(({ state }) => state === 'open');
  if (open === undefined) throw new WritError('WRONG_STATE', `plan ${planSha256} waits for nobody's word now`);
  return open;
}
