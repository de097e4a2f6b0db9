import type { Clock } from '../../../core/clock.ts';
import { WritError } from '../../../core/errors.ts';
import type { PlanGateway } from '../../../core/ports/index.ts';
import { viewBefore } from './view-before.ts';

/**
 * Whether a plan may be queued: its lease is genuine, for exactly this linked envelope and queue, and has not expired. A
 * plan that has succeeded needs no valid time, because its answer stands. Revocation is the worker's to judge.
 *
 * @param notBefore the plan does not begin before (milliseconds since 1970): the lease must hold then
 * @throws WritError INVALID_LEASE, LEASE_EXPIRED
 */
export async function assertPlanLease(
  lease: string | undefined,
  planSha256: string,
  { signatures, plans }: Pick<PlanGateway, 'signatures' | 'plans'>,
  clock: Clock,
  notBefore = 0,
): Promise<string> {
  if (lease === undefined || lease === '') throw refusal('INVALID_LEASE', 'the plan carries no lease');
  const why = await signatures.refusalOf(lease, planSha256);
  if (why !== undefined) throw refusal('INVALID_LEASE', why);
  const exp = signatures.expiryOf(lease);
  if (exp !== undefined && exp * 1000 <= Math.max(clock.now(), notBefore) && (await viewBefore(planSha256, plans))?.state !== 'success') {
    throw refusal('LEASE_EXPIRED', `the lease ${exp * 1000 <= clock.now() ? 'expired' : 'expires'} at ${new Date(exp * 1000).toISOString()}`);
  }
  return lease;
}

function refusal(code: 'INVALID_LEASE' | 'LEASE_EXPIRED', message: string): WritError {
  return new WritError(code, message, { field: 'lease' });
}
