import { PlanUndoAnswer } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import type { PlanView } from '../../../core/ports/index.ts';
import { heldPlan } from '../../shared/paused/held.ts';
import { planUndoAnswer, undoPlan } from '../../shared/plans/undo.ts';
import { isEndBefore } from '../../shared/plans/view.ts';
import { waitForPlan } from '../../shared/plans/wait.ts';
import { route } from '../route.ts';
import { PREFER, PREFERENCE_APPLIED, waitOf } from './answers.ts';
import { LOCATION, PlanParams, planLocationOf } from './shapes.ts';

export const undoOnePlan = route({
  method: 'POST',
  path: '/v1/plans/:id/undo',
  operation: 'undoPlan',
  summary: 'Take back what a plan did',
  description:
    'The last step first, each under a lease of its own, as a plan that goes on by itself. Stops at a step that cannot be taken back, and says so. ' +
    'Asked again it is the same undo, and tells how far it is; one that has failed runs on. Audited.',
  tag: 'plans',
  access: ['operate'],
  params: PlanParams,
  headers: PREFER,
  responses: {
    200: { description: 'The undo has ended.', schema: PlanUndoAnswer, headers: PREFERENCE_APPLIED },
    202: { description: 'The undo is on its way.', schema: PlanUndoAnswer, headers: { ...LOCATION, ...PREFERENCE_APPLIED } },
  },
  problems: [
    'INVALID_ARGUMENT',
    'NOT_FOUND',
    'WRONG_STATE',
    'INVALID_MANIFEST',
    'INVALID_RESULT',
    'LEASE_REFUSED',
    'KERNEL_UNAVAILABLE',
    'REDIS_FULL',
    'REDIS_UNAVAILABLE',
    'STORAGE_UNAVAILABLE',
  ],
  async handle(call) {
    const { params, caller, services, signal } = call;
    const { plans, preview } = services.plans;
    const { tasks, signatures, regrantByDefault, clock } = services;
    const undoServices = { tasks, signatures, regrantByDefault, clock, kernel: () => services.kernel(caller), preview, plans };
    const entry = { surface: 'http', who: caller.name, action: 'plan.undo', subject: params.id } as const;
    const undo = await audited(services.audit, entry, () => undoPlan(params.id, undoServices));
    const wait = waitOf(call.request, services.maxWaitS);
    const isStale = (view: PlanView): boolean => isEndBefore(view, undo.before);
    const seen = wait && (await waitForPlan(undo.undoId, plans, { timeoutMs: wait.timeoutMs, signal, isStale }));
    const location = planLocationOf(undo.undoId);
    const answer = await planUndoAnswer(params.id, undo, plans, location);
    const hasEnded = answer.state === 'success' || answer.state === 'failure';
    const held = hasEnded || seen === undefined ? {} : await heldPlan(seen, services);
    return { status: hasEnded ? 200 : 202, body: { ...answer, ...held }, headers: { location, ...wait?.headers } };
  },
});
