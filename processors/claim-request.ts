import type { ClaimRequest } from '../src/core/ports/index.ts';
import type { AuthenticatedDelivery } from './context.ts';
import { jobKey } from './delivery.ts';

/** Which FAILURE of the row answers the claim. */
export type ClaimTakes = Required<Pick<ClaimRequest, 'waited' | 'isStep' | 'wish'>>;

export const TAKES_NOTHING: ClaimTakes = { waited: false, isStep: false, wish: '' };

/** The claim of this delivery, now. Its fields are named: joining objects costs more than all the rest of a claim. */
export function claimRequest(
  { delivery, deps, manifest, manifestSha256, lease }: AuthenticatedDelivery,
  { waited, isStep, wish } = TAKES_NOTHING,
  look = false,
  deadInstance?: string,
): ClaimRequest {
  return {
    taskId: manifest.task_id,
    manifestSha256,
    jobKey: jobKey(delivery),
    instance: deps.instance,
    exp: lease.exp,
    now: deps.clock.now(),
    deadInstance,
    look,
    waited,
    isStep,
    wish,
  };
}
