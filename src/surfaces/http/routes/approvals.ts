import { z } from 'zod';
import { APPROVER_ROLES, type ApprovalAnswer, ApprovalList, ApprovalRequest, ApprovalView, Sha256Hex } from '../../../contracts/index.ts';
import { answerApproval, shownApprovals } from '../../shared/plans/approvals.ts';
import { type AnyRoute, route } from '../route.ts';
import { PlanParams } from './shapes.ts';

const FRESH = { 'cache-control': 'no-store' };

export const listApprovals = route({
  method: 'GET',
  path: '/v1/approvals',
  operation: 'listApprovals',
  summary: "Steps of plans that wait for somebody's word",
  description: 'From the records of the kernel. A question of a plan that has ended is withdrawn: nobody can answer it.',
  tag: 'plans',
  access: ['read', ...APPROVER_ROLES],
  query: z.strictObject({ plan: Sha256Hex.optional().describe('Everything that this plan has asked, decided or not.') }),
  responses: { 200: { description: 'Those that wait, the nearest deadline first; of one plan in the order in which they were asked.', schema: ApprovalList } },
  problems: ['INVALID_ARGUMENT', 'KERNEL_UNAVAILABLE'],
  async handle({ query, caller, services }) {
    const { approvals } = await services.kernel(caller);
    const body: ApprovalList = { approvals: [...(await shownApprovals(query.plan, { approvals, plans: services.plans.plans }))] };
    return { status: 200, body, headers: FRESH };
  },
});

export const approvePlan = answerRoute('approve', 'approvePlan', 'Say yes to a step that waits', 'the plan goes on');
export const denyPlan = answerRoute('deny', 'denyPlan', 'Say no to a step that waits', 'the step fails with APPROVAL_DENIED, and its `on_error` applies');

function answerRoute(answer: ApprovalAnswer, operation: string, summary: string, follows: string): AnyRoute {
  return route({
    method: 'POST',
    path: `/v1/plans/:id/${answer}`,
    operation,
    summary,
    description:
      `Needs the role that the step names; ${follows}. \`step\` is its \`task_id\`, so that a repetition never answers the next question. ` +
      'The first word counts: the same once more has the same answer, another one is WRONG_STATE, and so is any after the deadline. Audited.',
    tag: 'plans',
    access: APPROVER_ROLES,
    params: PlanParams,
    body: ApprovalRequest,
    responses: { 200: { description: 'The decision, as the kernel keeps it.', schema: ApprovalView } },
    problems: [
      'INVALID_ARGUMENT',
      'NOT_FOUND',
      'FORBIDDEN',
      'WRONG_STATE',
      'INVALID_RESULT',
      'KERNEL_UNAVAILABLE',
      'REDIS_FULL',
      'REDIS_UNAVAILABLE',
      'STORAGE_UNAVAILABLE',
    ],
    async handle({ params, body, caller, services }) {
      const { step: taskId, ...said } = body;
      const word = { planSha256: params.id, taskId, answer, ...withoutAbsent(said) };
      const { approvals } = await services.kernel(caller);
      const approver = { surface: 'http', who: caller.name, roles: caller.roles } as const;
      return { status: 200, body: await answerApproval(word, approver, { approvals, plans: services.plans.plans, audit: services.audit }) };
    },
  });
}

function withoutAbsent({ note, data }: Pick<ApprovalRequest, 'note' | 'data'>): { readonly note?: string; readonly data?: unknown } {
  return { ...(note === undefined ? {} : { note }), ...(data === undefined ? {} : { data }) };
}
