import type { PlanLeasePayload } from '../contracts/index.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { WritError } from '../core/errors.ts';
import { sha256Hex } from '../core/hash.ts';
import type { GrantedPlanLease, GrantOptions, PlanLeaseRequest } from '../core/ports/index.ts';
import { signPlanLease } from '../lease/index.ts';
import { lifetime } from './grant.ts';
import type { KernelOptions, KernelPlans } from './options.ts';
import { checkPlanFiring } from './schedules/check-firing.ts';

/** A plan's lease with what the issue log keeps of it. */
export interface PreparedPlanLease {
  readonly granted: GrantedPlanLease;
  readonly scopes: readonly string[] | undefined;
}

/**
 * What a plan's lease may ask: what its envelope can reach, unless the caller allows less or more. Whether it may live so long.
 *
 * @throws WritError INVALID_MANIFEST with the reason why the envelope is no plan, INVALID_ARGUMENT
 */
export function judgePlan(
  { envelope, capabilities }: PlanLeaseRequest,
  grantOptions: GrantOptions,
  plans: KernelPlans,
  options: KernelOptions,
): readonly string[] {
  lifetime(grantOptions, options);
  const reach = plans.logic.reach(envelope);
  if (!reach.ok) throw new WritError('INVALID_MANIFEST', `${reach.code}: ${reach.message}`, { field: 'envelope' });
  return [...(capabilities ?? reachable(reach.tools, plans))];
}

/**
 * Signs the lease of a plan.
 *
 * @throws WritError as `judgePlan`; LEASE_REFUSED, also for a plan that only a schedule makes
 */
export async function preparePlanLease(
  request: PlanLeaseRequest,
  grantOptions: GrantOptions,
  plans: KernelPlans,
  options: KernelOptions,
): Promise<PreparedPlanLease> {
  const { envelope, scopes } = request;
  const { key, config, clock, randomId, ed25519 } = options;
  const capabilities = judgePlan(request, grantOptions, plans, options);
  const planSha256 = sha256Hex(canonicalJson(envelope));
  checkPlanFiring(envelope, planSha256, options);
  const { seconds, notBefore = 0 } = lifetime(grantOptions, options);
  const iat = Math.max(Math.floor(clock.now() / 1000), notBefore);
  const payload: PlanLeasePayload = {
    v: 1,
    iss: config.issuer,
    aud: plans.queue,
    jti: randomId(),
    plan_sha256: planSha256,
    capabilities: [...capabilities],
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    iat,
    exp: iat + seconds,
  };
  const lease = await signPlanLease(payload, key, ed25519);
  return { granted: { planSha256, lease, jti: payload.jti, exp: payload.exp, capabilities: payload.capabilities }, scopes };
}

/** Sorted and each once, so that the same plan gets the same permission. */
function reachable(tools: readonly { readonly ref: string; readonly operations: readonly string[] }[], { bindings }: KernelPlans): readonly string[] {
  const all = tools.flatMap(({ ref, operations }) => (bindings(ref)?.adapter === 'writ' ? operations : [`TOOL_CALL:${ref}`]));
  return [...new Set(all)].sort();
}
