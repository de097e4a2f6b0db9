import { PlanCancelAnswer, PlanRetryAnswer, PlanRetryRequest, PlanStatus } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import { assertPlanLease } from '../../shared/plans/lease-check.ts';
import { cancelPlan } from '../../shared/plans/operate.ts';
import { planRetryServices, retryPlan } from '../../shared/plans/retry.ts';
import { viewBefore } from '../../shared/plans/view-before.ts';
import { retryDetail } from '../../shared/tasks/retry.ts';
import { type Caller, route } from '../route.ts';
import { operatorServices, PREFER, PREFERENCE_APPLIED, waitOf } from './answers.ts';
import { endWithin } from './plan-answers.ts';
import { LOCATION, PlanParams, planLocationOf } from './shapes.ts';

/** The entry of an operator's action in the audit log. */
function entryOf(caller: Caller, action: 'plan.retry' | 'plan.cancel', subject: string) {
  return { surface: 'http', who: caller.name, action, subject } as const;
}

const ENDED = { description: 'The plan has ended while the request waited.', schema: PlanStatus, headers: PREFERENCE_APPLIED };

export const retryOnePlan = route({
  method: 'POST',
  path: '/v1/plans/:id/retry',
  operation: 'retryPlan',
  summary: 'Run a failed plan on',
  description:
    'From the step that ended it; what the steps before have done stands. Under a new lease where the old one has expired and `regrant` allows it: ' +
    'the kernel renews what it has signed for this plan before, and allows no more. `lease` brings one instead. Audited.',
  tag: 'plans',
  access: ['operate'],
  params: PlanParams,
  body: PlanRetryRequest.optional(),
  headers: PREFER,
  responses: { 200: ENDED, 202: { description: 'It runs on.', schema: PlanRetryAnswer, headers: { ...LOCATION, ...PREFERENCE_APPLIED } } },
  problems: [
    'INVALID_ARGUMENT',
    'NOT_FOUND',
    'WRONG_STATE',
    'INVALID_LEASE',
    'LEASE_EXPIRED',
    'LEASE_REFUSED',
    'INVALID_MANIFEST',
    'INVALID_RESULT',
    'KERNEL_UNAVAILABLE',
    'REDIS_FULL',
    'REDIS_UNAVAILABLE',
    'STORAGE_UNAVAILABLE',
  ],
  async handle(call) {
    const { params, body, caller, services } = call;
    const before = await viewBefore(params.id, services.plans.plans);
    const terms = body?.regrant === undefined ? {} : { regrant: body.regrant };
    const retry = async () => {
      const lease = body?.lease === undefined ? {} : { lease: await assertPlanLease(body.lease, params.id, services.plans, services.clock) };
      return retryPlan(params.id, { ...terms, ...lease }, planRetryServices(services.plans, operatorServices(services, caller)));
    };
    const { regranted } = await audited(services.audit, { ...entryOf(caller, 'plan.retry', params.id), detail: terms }, retry, retryDetail);
    const wait = waitOf(call.request, services.maxWaitS);
    const waited = await endWithin(params.id, wait, before, call);
    if (waited.answer) return waited.answer;
    const location = planLocationOf(params.id);
    const answer: PlanRetryAnswer = { plan_id: params.id, regranted, location, ...waited.held };
    return { status: 202, body: answer, headers: { location, ...wait?.headers } };
  },
});

export const cancelOnePlan = route({
  method: 'POST',
  path: '/v1/plans/:id/cancel',
  operation: 'cancelPlan',
  summary: 'Ask that a plan goes no further',
  description: 'It ends with `CANCELLED` before its next step; a step that has begun is finished, and its effect stands. Audited.',
  tag: 'plans',
  access: ['operate'],
  params: PlanParams,
  headers: PREFER,
  responses: { 200: ENDED, 202: { description: 'A cancel is requested.', schema: PlanCancelAnswer, headers: { ...LOCATION, ...PREFERENCE_APPLIED } } },
  problems: ['INVALID_ARGUMENT', 'NOT_FOUND', 'WRONG_STATE', 'INVALID_RESULT', 'REDIS_FULL', 'REDIS_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  async handle(call) {
    const { params, caller, services } = call;
    await audited(services.audit, entryOf(caller, 'plan.cancel', params.id), () => cancelPlan(params.id, services.plans.plans));
    const wait = waitOf(call.request, services.maxWaitS);
    const waited = await endWithin(params.id, wait, undefined, call);
    if (waited.answer) return waited.answer;
    const location = planLocationOf(params.id);
    const answer: PlanCancelAnswer = { plan_id: params.id, cancel: 'requested', location, ...waited.held };
    return { status: 202, body: answer, headers: { location, ...wait?.headers } };
  },
});
