import { z } from 'zod';
import { EndpointId, PlanFilter, PlanHistory, PlanLeaseToken, PlanPage, PlanStatus, Sha256Hex } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { heldPlan, heldPlanStatus } from '../../shared/paused/held.ts';
import { assertGenuineEnd } from '../../shared/plans/genuine-end.ts';
import { planHistory } from '../../shared/plans/history.ts';
import { unknownPlan } from '../../shared/plans/plan-id.ts';
import { submitPlan as submitToQueue } from '../../shared/plans/submit.ts';
import { hasEnded, isEndBefore, planStatusOf } from '../../shared/plans/view.ts';
import { waitForPlan } from '../../shared/plans/wait.ts';
import { readWhen } from '../../shared/when.ts';
import { LOOKS_ONLY, tool } from '../tool.ts';
import { pauseServices, RECEIPTS, submitter } from './outcome.ts';
import { cursor, sign, waitMs, waitS, when } from './shapes.ts';
import { webhooksOf } from './webhooks.ts';

export const submitPlan = tool({
  name: 'submit_plan',
  title: 'Submit a plan',
  description:
    'Links an envelope with the definitions of this host and queues it; its hash is the id of the plan. The same plan may be submitted any number of times: it runs ' +
    'once, and a failed one runs on from where it failed. get_plan tells how far it is.',
  access: ['submit'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({
    envelope: z.record(z.string(), z.unknown()).meta({ description: 'The plan, linked or not (contracts/plan-envelope.schema.json).' }),
    lease: PlanLeaseToken.optional().meta({ description: 'Permission of the kernel for exactly the linked envelope.' }),
    sign,
    ...when,
    webhook: EndpointId.optional().meta({ description: 'Endpoint of the settings that is told of the end, beside those of the key.' }),
    wait_s: waitS,
  }),
  output: z.strictObject({
    plan_id: Sha256Hex,
    receipt: z.enum(['accepted', 'in_flight', 'retried', 'finished']),
    queue: z.string().optional(),
    plan: PlanStatus.optional().meta({ description: 'The plan, if it has ended.' }),
    paused_queue: PlanStatus.shape.paused_queue.meta({ description: 'The wait was in vain because this queue is paused: resume_queue lets it go on.' }),
  }),
  async run(call) {
    const { input, services, caller, signal } = call;
    const { webhook } = input;
    if (webhook !== undefined) webhooksOf(services);
    const [plans, audit] = [await services.plans(), await services.audit()];
    const submitServices = { plans, audit, clock: services.clock, kernel: services.kernel, ...(services.webhooks && { webhooks: services.webhooks }) };
    const plan = { envelope: input.envelope, lease: input.lease, sign: input.sign === true, traceparent: undefined, push: readWhen(input), webhook };
    const { id, receipt, before } = await submitToQueue(plan, submitter(caller), submitServices);
    const known = receipt.kind === 'finished';
    const isStale = (view: Parameters<typeof isEndBefore>[0]): boolean => !known && isEndBefore(view, before);
    const timeoutMs = known ? 0 : waitMs(input.wait_s, services.maxWaitS);
    const view = known || timeoutMs > 0 ? await waitForPlan(id, plans.plans, { timeoutMs, signal, isStale }) : undefined;
    const answer = { plan_id: id, receipt: RECEIPTS[receipt.kind], ...(known ? {} : { queue: receipt.queue }) };
    if (view === undefined) return answer;
    if (!hasEnded(view) || isStale(view)) return { ...answer, ...(await heldPlan(view, await pauseServices(call))) };
    await assertGenuineEnd(view, plans.signatures);
    return { ...answer, plan: planStatusOf(view, false) };
  },
});

export const getPlan = tool({
  name: 'get_plan',
  title: 'How far a plan is',
  description: 'Steps done, the step that is under way, the error that ended it, a paused queue that holds it up. What its steps found is shown with memory.',
  access: ['submit', 'read'],
  annotations: LOOKS_ONLY,
  input: z.strictObject({
    plan_id: Sha256Hex.meta({ description: 'The plan.' }),
    memory: z.boolean().optional().meta({ description: 'With the signed end, which holds results and memory; needs the role operate.' }),
    wait_s: waitS,
  }),
  output: PlanStatus,
  async run(call) {
    const { plan_id: id, memory, wait_s } = call.input;
    const { services, caller, signal } = call;
    if (memory === true && !caller.roles.has('operate')) throw new WritError('FORBIDDEN', 'memory shows what steps have found, which needs the role operate');
    const { plans, signatures } = await services.plans();
    const view = await waitForPlan(id, plans, { timeoutMs: waitMs(wait_s, services.maxWaitS), signal });
    if (view === undefined) throw unknownPlan(id);
    if (memory === true) await assertGenuineEnd(view, signatures);
    return heldPlanStatus(view, memory === true, await pauseServices(call));
  },
});

export const listPlansTool = tool({
  name: 'list_plans',
  title: 'Find plans',
  description: 'Plans that wait, then those that have begun, newest change first. A page may be short and still have a next.',
  access: ['read'],
  annotations: LOOKS_ONLY,
  input: PlanFilter.extend({ limit: z.int().min(1).max(100).optional().meta({ description: 'Plans on a page; 20 if absent.' }), cursor }),
  output: PlanPage,
  async run({ input: { limit = 20, cursor: after, ...filter }, services }) {
    return (await services.plans()).plans.list(filter, { limit, ...(after === undefined ? {} : { cursor: after }) });
  },
});

export const getPlanHistory = tool({
  name: 'get_plan_history',
  title: 'The steps of a plan with their times',
  description: 'The steps that have ended, in that order, with their tasks. What they found is told by get_plan with memory.',
  access: ['read'],
  annotations: LOOKS_ONLY,
  input: z.strictObject({
    plan_id: Sha256Hex.meta({ description: 'The plan.' }),
    limit: z.int().min(1).max(500).optional().meta({ description: 'Steps on a page; 100 if absent.' }),
    cursor,
  }),
  output: PlanHistory,
  async run({ input: { plan_id: id, limit = 100, cursor: after }, services }) {
    return planHistory(id, { limit, ...(after === undefined ? {} : { cursor: after }) }, (await services.plans()).plans);
  },
});
