import type { FastifyInstance } from 'fastify';
import { ApprovalAnswer, type ApprovalView } from '../../../contracts/index.ts';
import { isWritError } from '../../../core/errors.ts';
import { answerApproval, shownApprovals } from '../../shared/plans/approvals.ts';
import { planIdOf } from '../../shared/plans/plan-id.ts';
import { taskIdOf } from '../../shared/tasks/task-id.ts';
import type { Caller } from '../caller.ts';
import { type Html, html, part, visible } from './html.ts';
import { planLink } from './links.ts';
import { actionForm, CONSOLE_PATH, factsOf, frameOf, sendPage, tableOf } from './page.ts';
import { type ConsoleServices, callerOf } from './services.ts';
import { inTime } from './times.ts';

const COLUMNS = [{ title: 'plan' }, { title: 'question' }, { title: 'role' }, { title: 'decided for you' }] as const;

/** What a plan asks somebody now, with the buttons for whoever has the role; `undefined` when it waits for nobody. */
export async function approvalPart(planSha256: string, caller: Caller, services: ConsoleServices): Promise<Html | undefined> {
  const asked = await openOf(planSha256, caller, services);
  if (asked === undefined) return undefined;
  const { step, path, role, question, until } = asked;
  const at = `${CONSOLE_PATH}/plans/${part(planSha256)}`;
  const buttons = caller.roles.has(role)
    ? html`<div class="actions">${actionForm(`${at}/approve/${part(step)}`, 'Approve', 'The plan goes on.')}${actionForm(`${at}/deny/${part(step)}`, 'Deny', 'The step fails with APPROVAL_DENIED.')}</div>`
    : html`<p>It takes the role ${role} to answer.</p>`;
  return html`<h2>It waits for an approval</h2>${factsOf([
    ['question', visible(question, 2000)],
    ['role', role],
    ['until', until.replace('T', ' ')],
    ['step', visible(path, 120)],
  ])}${buttons}`;
}

/** All questions that wait for somebody; each is answered on the page of its plan, where one sees what it is about. */
export function approvalList(pages: FastifyInstance, { kernel, plans, clock }: ConsoleServices): void {
  pages.get('/approvals', async (request, reply) => {
    const { approvals } = await kernel(callerOf(request));
    const rows = (await shownApprovals(undefined, { approvals, plans: plans.plans })).map(({ plan_id, question, role, until }) => [
      planLink(plan_id),
      visible(question, 200),
      role,
      inTime(until, clock.now()),
    ]);
    const table = tableOf('The nearest deadline first', COLUMNS, rows, 'No plan waits for an approval.');
    return sendPage(reply, 200, frameOf(request, 'Approvals', '/approvals'), table);
  });
}

/** Without the kernel the rest of the page is worth being seen. */
async function openOf(planSha256: string, caller: Caller, { kernel }: ConsoleServices): Promise<ApprovalView | undefined> {
  try {
    return (await (await kernel(caller)).approvals.list(planSha256)).findLast(({ state }) => state === 'open');
  } catch (error) {
    if (isWritError(error) && error.code === 'KERNEL_UNAVAILABLE') return undefined;
    throw error;
  }
}

/** The forms of `approvalPart`. Which role it takes is the kernel's to say. */
export function approvalForms(acts: FastifyInstance, services: ConsoleServices): void {
  for (const answer of ApprovalAnswer.options) {
    acts.post<{ Params: { id: string; step: string } }>(`/plans/:id/${answer}/:step`, async (request, reply) => {
      const [planSha256, taskId, caller] = [planIdOf(request.params.id), taskIdOf(request.params.step), callerOf(request)];
      const { approvals } = await services.kernel(caller);
      const approver = { surface: 'http', who: caller.name, roles: caller.roles } as const;
      await answerApproval({ planSha256, taskId, answer }, approver, { approvals, plans: services.plans.plans, audit: services.audit });
      return reply.redirect(`${CONSOLE_PATH}/plans/${planSha256}?done=${answer}`, 303);
    });
  }
}
