import { WritError } from '../../../core/errors.ts';
import type { Plans } from '../../../core/ports/index.ts';
import { unknownPlan } from './plan-id.ts';

/**
 * Asks that a plan ends before its next step (docs/plan-protocol.md 4).
 *
 * @throws WritError NOT_FOUND; WRONG_STATE when it has ended already
 */
export async function cancelPlan(id: string, plans: Pick<Plans, 'cancel'>): Promise<void> {
  const answer = await plans.cancel(id);
  if (answer === 'not-found') throw unknownPlan(id);
  if (answer === 'ended') throw new WritError('WRONG_STATE', `plan ${id} has ended already: too late to cancel`);
}

/**
 * Runs a failed plan on from where it stopped (docs/plan-protocol.md 4).
 *
 * @param lease replaces the plan's own, for one that has expired
 * @throws WritError NOT_FOUND; WRONG_STATE when it has not failed
 */
export async function retryPlan(id: string, lease: string | undefined, plans: Pick<Plans, 'retry' | 'view'>): Promise<void> {
  const answer = await plans.retry(id, lease === undefined ? {} : { lease });
  if (answer === 'retried') return;
  const view = await plans.view(id);
  if (view === undefined) throw unknownPlan(id);
  if (answer === 'wrong-state') throw new WritError('WRONG_STATE', `plan ${id} has not failed: it is ${view.state === 'success' ? 'done' : view.state}`);
  throw new WritError('NOT_FOUND', `plan ${id} is known, but its job is no longer kept (7 days): push the same envelope again`);
}
