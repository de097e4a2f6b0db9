import { PlanStatus, PlanSubmission, PlanSubmitted } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { PlanReceipt } from '../../../core/ports/index.ts';
import { heldPlanStatus } from '../../shared/paused/held.ts';
import { assertGenuineEnd } from '../../shared/plans/genuine-end.ts';
import { unknownPlan } from '../../shared/plans/plan-id.ts';
import { submitPlan as submitToQueue } from '../../shared/plans/submit.ts';
import { planStatusOf } from '../../shared/plans/view.ts';
import { waitForPlan } from '../../shared/plans/wait.ts';
import { readWhen } from '../../shared/when.ts';
import { type Call, route } from '../route.ts';
import { PREFER, PREFERENCE_APPLIED, tagged, waitOf } from './answers.ts';
import { endWithin } from './plan-answers.ts';
import { LOCATION, PlanParams, PlanPushQuery, PlanReadQuery, planLocationOf, REPLAYED } from './shapes.ts';

export const submitPlan = route({
  method: 'POST',
  path: '/v1/plans',
  operation: 'submitPlan',
  summary: 'Push a plan',
  description:
    'The envelope is linked first: definitions of this host are added that it needs and does not bring. Its hash then is the id of the plan, and what the lease must be for; ' +
    'a linked envelope stays as it is. The same plan may be pushed any number of times; a failed one runs on from where it failed. ' +
    'With `not_before` it begins then: the lease counts from that time on.',
  tag: 'plans',
  access: ['submit'],
  query: PlanPushQuery,
  body: PlanSubmission,
  headers: PREFER,
  responses: {
    200: {
      description: 'The plan has ended: with success before (`Idempotency-Replayed`), or while the request waited.',
      schema: PlanStatus,
      headers: { ...REPLAYED, ...PREFERENCE_APPLIED },
    },
    202: { description: 'Queued, or in flight already.', schema: PlanSubmitted, headers: { ...LOCATION, ...REPLAYED, ...PREFERENCE_APPLIED } },
  },
  problems: [
    'INVALID_MANIFEST',
    'INVALID_ARGUMENT',
    'INVALID_LEASE',
    'LEASE_EXPIRED',
    'LEASE_REFUSED',
    'FORBIDDEN',
    'NOT_FOUND',
    'WRONG_STATE',
    'INVALID_RESULT',
    'REDIS_FULL',
    'REDIS_UNAVAILABLE',
    'KERNEL_UNAVAILABLE',
    'STORAGE_UNAVAILABLE',
  ],
  async handle(call) {
    const { body, query, caller } = call;
    // What the body says of its trace counts before what the request says.
    const traceparent = body.traceparent ?? call.traceparent;
    const plan = { envelope: body.envelope, lease: body.lease, sign: query.sign === true, traceparent, push: readWhen(query), webhook: query.webhook };
    const by = { surface: 'http', name: caller.name, roles: caller.roles } as const;
    const { id: planSha256, receipt, before } = await submitToQueue(plan, by, planSubmitServices(call));
    if (receipt.kind === 'finished') return replayed(planSha256, call);
    const headers = receipt.kind === 'in-flight' ? KNOWN : {};
    const wait = waitOf(call.request, call.services.maxWaitS);
    const waited = await endWithin(planSha256, wait, before, call, headers);
    if (waited.answer) return waited.answer;
    const location = planLocationOf(planSha256);
    const answer: PlanSubmitted = { plan_id: planSha256, receipt: WORDS[receipt.kind], queue: receipt.queue, location, ...waited.held };
    return { status: 202, body: answer, headers: { ...headers, ...wait?.headers, location } };
  },
});

type SubmitCall = Call<undefined, PlanPushQuery, PlanSubmission>;

const KNOWN = { 'idempotency-replayed': 'true' };

const WORDS = { accepted: 'accepted', 'in-flight': 'in_flight', retried: 'retried' } as const satisfies Record<
  Exclude<PlanReceipt['kind'], 'finished'>,
  PlanSubmitted['receipt']
>;

function planSubmitServices({ services, caller }: SubmitCall) {
  const { plans, audit, clock, kernel, webhooks } = services;
  return { plans, audit, clock, webhooks, kernel: () => kernel(caller) };
}

/** The same plan has succeeded before: its stored end, after a look at the signature. */
async function replayed(id: string, { services }: SubmitCall) {
  const view = await services.plans.plans.view(id);
  if (view?.state !== 'success') throw new WritError('WRONG_STATE', `plan ${id} has just changed; push again`);
  await assertGenuineEnd(view, services.plans.signatures);
  return { status: 200, body: planStatusOf(view, false), headers: KNOWN };
}

export const readPlan = route({
  method: 'GET',
  path: '/v1/plans/:id',
  operation: 'readPlan',
  summary: 'How far a plan is, and how it ended',
  description:
    'Steps done, the step that is under way, the error that ended it, a paused queue that holds it up. What its steps found is for those who may see it: `memory`.',
  tag: 'plans',
  // As for tasks: whoever may push a plan is told this address in the receipt.
  access: ['submit', 'read'],
  params: PlanParams,
  query: PlanReadQuery,
  headers: { ...PREFER, 'if-none-match': 'ETag of a plan that is known already.' },
  responses: {
    200: { description: 'The plan.', schema: PlanStatus, headers: { etag: 'Changes with the plan.', ...PREFERENCE_APPLIED } },
    304: { description: 'Nothing has changed.' },
  },
  problems: ['INVALID_ARGUMENT', 'FORBIDDEN', 'NOT_FOUND', 'INVALID_RESULT', 'REDIS_UNAVAILABLE'],
  async handle({ params: { id }, query: { memory }, caller, request, services, signal }) {
    if (memory === true && !caller.roles.has('operate'))
      throw new WritError('FORBIDDEN', 'memory=true shows what steps have found, which needs the role operate');
    const wait = waitOf(request, services.maxWaitS);
    const view = await waitForPlan(id, services.plans.plans, { timeoutMs: wait?.timeoutMs ?? 0, signal });
    if (view === undefined) throw unknownPlan(id);
    if (memory === true) await assertGenuineEnd(view, services.plans.signatures);
    return tagged(await heldPlanStatus(view, memory === true, services), request.headers['if-none-match'], wait?.headers);
  },
});
