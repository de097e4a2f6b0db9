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
