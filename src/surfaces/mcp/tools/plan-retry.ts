import { z } from 'zod';
import { PlanFilter, PlanStatus, Sha256Hex } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import type { PlanView } from '../../../core/ports/index.ts';
import { heldPlan } from '../../shared/paused/held.ts';
import { assertGenuineEnd } from '../../shared/plans/genuine-end.ts';
import { planRetryServices, retryPlan } from '../../shared/plans/retry.ts';
import { retryablePlans } from '../../shared/plans/retry-many.ts';
import { hasEnded, isEndBefore, planStatusOf } from '../../shared/plans/view.ts';
import { viewBefore } from '../../shared/plans/view-before.ts';
import { waitForPlan } from '../../shared/plans/wait.ts';
import { retryDetail } from '../../shared/tasks/retry.ts';
import { tool } from '../tool.ts';
import { bulkAnswer, bulkArguments, FIRST, FOUND, REST, retryFound } from './bulk-retry.ts';
import { operatorServices, pauseServices } from './outcome.ts';
import { regrant, waitMs, waitS } from './shapes.ts';

export const retryPlanTool = tool({
  name: 'retry_plan',
  title: 'Run a failed plan on',
  description:
    'From the step that ended it; what the steps before have done stands. Under a new lease where the old one has expired and regrant allows it, which allows ' +
    'no more than that did. Audited.',
  access: ['operate'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({ plan_id: Sha256Hex.meta({ description: 'The plan.' }), regrant, wait_s: waitS }),
  output: z.strictObject({
    plan_id: Sha256Hex,
    regranted: z.boolean(),
    plan: PlanStatus.optional().meta({ description: 'The plan, if it has ended.' }),
    paused_queue: PlanStatus.shape.paused_queue.meta({ description: 'The wait was in vain because this queue is paused: resume_queue lets it go on.' }),
  }),
  async run(call) {
    const { input, services, caller, signal } = call;
    const { plan_id: id } = input;
    const gateway = await services.plans();
    const terms = input.regrant === undefined ? {} : { regrant: input.regrant };
    const retryServices = planRetryServices(gateway, await operatorServices(call));
    const before = await viewBefore(id, gateway.plans);
    const entry = { surface: 'mcp', who: caller.name, action: 'plan.retry', subject: id, detail: terms } as const;
    const { regranted } = await audited(await services.audit(), entry, () => retryPlan(id, terms, retryServices), retryDetail);
    const answer = { plan_id: id, regranted };
    const timeoutMs = waitMs(input.wait_s, services.maxWaitS);
    const isStale = (view: PlanView): boolean => isEndBefore(view, before);
    const view = timeoutMs > 0 ? await waitForPlan(id, gateway.plans, { timeoutMs, signal, isStale }) : undefined;
    if (view === undefined) return answer;
    if (!hasEnded(view) || isStale(view)) return { ...answer, ...(await heldPlan(view, await pauseServices(call))) };
    await assertGenuineEnd(view, gateway.signatures);
    return { ...answer, plan: planStatusOf(view, false) };
  },
});

export const retryPlansTool = tool({
  name: 'retry_plans',
  title: 'Run failed plans on',
  description:
    'Every failed plan that the filter finds, each from the step that ended it, under a new lease where the old one has expired and regrant allows it. ' +
    'Count first with dry_run, then call with the filter in rest. ' +
    'A plan that fails again meanwhile is not retried twice. Audited.',
  access: ['operate'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    filter: PlanFilter.meta({ description: 'Which plans, as in list_plans; only failed ones are meant, so state may be left out.' }),
    regrant,
    ...bulkArguments,
  }),
  output: z.strictObject({
    plans: z.int().meta({ description: FOUND }),
    ...bulkAnswer,
    refusals: z.array(z.strictObject({ plan_id: z.string(), code: z.string(), message: z.string() })).meta({ description: FIRST }),
    rest: PlanFilter.optional().meta({ description: REST }),
  }),
  async run(call) {
    const gateway = await call.services.plans();
    const terms = call.input.regrant === undefined ? {} : { regrant: call.input.regrant };
    const { found, refusals, ...told } = await retryFound(call, retryablePlans(gateway.plans, terms, planRetryServices(gateway, await operatorServices(call))));
    return { plans: found, ...told, refusals: refusals.map(({ id, ...why }) => ({ plan_id: id, ...why })) };
  },
});
