import type { PlanLeasePayload } from '../contracts/index.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { WritError } from '../core/errors.ts';
import { sha256Hex } from '../core/hash.ts';
import type { AuditEntry, GrantedPlanLease, GrantOptions, PlanLeaseRequest } from '../core/ports/index.ts';
import { authenticatePlanLease, signPlanLease } from '../lease/index.ts';
import { lifetime } from './grant.ts';
import type { KernelOptions, KernelPlans } from './options.ts';
import { checkPlanFiring } from './schedules/check-firing.ts';

/** A plan in the issue log: its hash is its whole manifest. */
export function planTaskId(planSha256: string): string {
  return `p-${planSha256}`;
}

/** A plan's lease with what the logs keep of it. */
export interface PreparedPlanLease {
  readonly granted: GrantedPlanLease;
  /** Of a lease that stands in place of an earlier one. */
  readonly audit: AuditEntry | undefined;
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
 * @throws WritError as `judgePlan`; LEASE_REFUSED, also for a plan that only a schedule makes, and for an earlier lease that is not renewed
 */
export async function preparePlanLease(
  request: PlanLeaseRequest,
  grantOptions: GrantOptions,
  plans: KernelPlans,
  options: KernelOptions,
): Promise<PreparedPlanLease> {
  const { envelope } = request;
  const { key, config, clock, randomId, ed25519 } = options;
  const planSha256 = sha256Hex(canonicalJson(envelope));
  const earlier = request.renews === undefined ? undefined : await renewable(request.renews, planSha256, plans, options);
  const scopes = earlier === undefined ? request.scopes : earlier.scopes;
  const capabilities = judgePlan(earlier === undefined ? request : { ...request, capabilities: earlier.capabilities }, grantOptions, plans, options);
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
  const { jti, exp } = payload;
  const details = { plan_sha256: planSha256, renews: earlier?.jti ?? '' };
  const audit: AuditEntry | undefined = earlier && { action: 'regrant', taskId: planTaskId(planSha256), jti, by: grantOptions.by, details };
  return { granted: { planSha256, lease, jti, exp, capabilities: payload.capabilities }, audit };
}

/** What an earlier lease of the plan allows. It is the evidence that somebody who might was once asked for this plan. */
async function renewable(token: string, planSha256: string, { queue }: KernelPlans, options: KernelOptions): Promise<PlanLeasePayload> {
  const { kernelKeyring: keyring, ed25519, config, store } = options;
  const opened = await authenticatePlanLease(token, { planSha256, aud: queue, iss: config.issuer }, { keyring, ed25519 });
  if (!opened.ok)
    throw new WritError('LEASE_REFUSED', `only a lease of this kernel's for exactly this plan is renewed: ${opened.message}`, { field: 'renews' });
  // Whoever writes to Redis may bring an older one than the one that was revoked.
  const jtis = [opened.lease.jti, store.issued(planTaskId(planSha256))?.jti];
  if (jtis.some((jti) => jti !== undefined && store.revocation(jti) !== undefined))
    throw new WritError('LEASE_REFUSED', "the plan's lease was revoked, and a revoked lease is not renewed");
  return opened.lease;
}

/** Sorted and each once, so that the same plan gets the same permission. */
function reachable(tools: readonly { readonly ref: string; readonly operations: readonly string[] }[], { bindings }: KernelPlans): readonly string[] {
  const all = tools.flatMap(({ ref, operations }) => (bindings(ref)?.adapter === 'writ' ? operations : [`TOOL_CALL:${ref}`]));
  return [...new Set(all)].sort();
}
