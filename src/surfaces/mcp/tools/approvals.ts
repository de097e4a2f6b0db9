import { z } from 'zod';
import { APPROVER_ROLES, ApprovalAnswer, ApprovalList, ApprovalRequest, ApprovalView, Sha256Hex } from '../../../contracts/index.ts';
import { answerApproval, shownApprovals } from '../../shared/plans/approvals.ts';
import { LOOKS_ONLY, tool } from '../tool.ts';

export const listApprovalsTool = tool({
  name: 'list_approvals',
  title: "Steps of plans that wait for somebody's word",
  description:
    'Those that wait, the nearest deadline first; of one plan everything that it has asked, decided or not; a question of a plan that has ended is withdrawn. From the records of the kernel.',
  access: ['read', ...APPROVER_ROLES],
  annotations: LOOKS_ONLY,
  input: z.strictObject({ plan_id: Sha256Hex.optional().meta({ description: 'Only what this plan has asked.' }) }),
  output: ApprovalList,
  async run({ input, services }) {
    const { approvals } = await services.kernel();
    const plans = { view: async (id: string) => (await services.plans()).plans.view(id) };
    return { approvals: [...(await shownApprovals(input.plan_id, { approvals, plans }))] };
  },
});

export const answerApprovalTool = tool({
  name: 'answer_approval',
  title: 'Say yes or no to a step that waits',
  description:
    'Needs the role that the step names, and is a decision of its own: only for a client that was told to decide. `step` is its task_id. The first word counts; ' +
    'the same once more has the same answer, another one or one after the deadline is refused. Audited.',
  access: APPROVER_ROLES,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ plan_id: Sha256Hex, answer: ApprovalAnswer, ...ApprovalRequest.shape }),
  output: ApprovalView,
  async run({ input, caller, services }) {
    const { plan_id: planSha256, answer, step: taskId, note, data } = input;
    const word = { planSha256, taskId, answer, ...(note === undefined ? {} : { note }), ...(data === undefined ? {} : { data }) };
    const [{ plans }, { approvals }, audit] = [await services.plans(), await services.kernel(), await services.audit()];
    return answerApproval(word, { surface: 'mcp', who: caller.name, roles: caller.roles }, { approvals, plans, audit });
  },
});
