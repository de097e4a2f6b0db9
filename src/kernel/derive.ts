import { LRUCache } from 'lru-cache';
import { CONTENT_SEARCH, FILE_CAPABILITIES, type PlanLeasePayload, SEARCH_CAPABILITIES } from '../contracts/index.ts';
import { isBelow } from '../core/absolute-paths.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import { WritError } from '../core/errors.ts';
import { sha256Hex } from '../core/hash.ts';
import type { JsonObject } from '../core/json.ts';
import { createPlanProgress, isDone, type PlanProgress } from '../core/plan-progress.ts';
import { type PlanStep, signedCapability } from '../core/plan-step.ts';
import type { DeriveRequest, StepEvidence } from '../core/ports/index.ts';
import { isSearchPlaceIn } from '../core/search-place.ts';
import { authenticatePlanLease, authorizeTimes, earlyBy, verifyResult } from '../lease/index.ts';
import { assertDecided } from './approvals/questions.ts';
import type { KernelOptions, KernelPlans } from './options.ts';
import { verifiedOnce } from './verified-once.ts';

/** The step that a plan has reached, as the kernel computed it, and until when a lease for it may live. */
export interface DerivedStep {
  readonly step: PlanStep;
  /** Of the plan's lease, seconds since 1970. */
  readonly planExp: number;
}

const EARLY = "the plan's lease counts from later by the kernel's clock";

/** Plans whose runs are kept between two of their steps. */
const MAX_KEPT = 1000;

/**
 * Follows a plan by the executors' own answers (docs/plan-protocol.md 6). Nothing that the plan role says is believed: the
 * envelope must have the hash that the plan lease names, each answer must be an executor's to the very manifest that the
 * plan arrives at, and only the step after them is named.
 */
export function createDerivation(plans: KernelPlans, options: KernelOptions): (request: DeriveRequest) => Promise<DerivedStep> {
  const { kernelKeyring, executorKeyring, store, clock, config } = options;
  const { ed25519 } = plans;
  const leases = { keyring: kernelKeyring, ed25519: verifiedOnce(ed25519, MAX_KEPT) };
  const kept = new LRUCache<string, PlanProgress>({ maxSize: MAX_KEPT, sizeCalculation: () => 1 });

  async function authorized({ planSha256, lease }: DeriveRequest): Promise<PlanLeasePayload> {
    const opened = await authenticatePlanLease(lease, { planSha256, aud: plans.queue, iss: config.issuer }, leases);
    if (!opened.ok) throw new WritError('INVALID_LEASE', opened.message);
    const isRevoked = (jti: string): boolean => store.revocation(jti) !== undefined;
    // Only who hears a final word ends his plan: one that runs by its worker's clock, and the kernel's is behind, waits until that is right.
    if (!isRevoked(opened.lease.jti) && earlyBy(opened.lease, { now: clock.now() }) > 0) throw new WritError('KERNEL_UNAVAILABLE', EARLY);
    const refusal = authorizeTimes(opened.lease, { now: clock.now(), maxTtl: config.maxTtl, isRevoked });
    if (refusal) throw new WritError(refusal.code === 'LEASE_EXPIRED' ? 'LEASE_EXPIRED' : 'INVALID_LEASE', refusal.message);
    return opened.lease;
  }

  /** The progress so far, taken out of the kept ones: a request that fails on the way leaves nothing half-fed behind. */
  function progressOf({ planSha256, envelope, since }: DeriveRequest): PlanProgress {
    const known = kept.get(planSha256);
    kept.delete(planSha256);
    if (since > 0) {
      if (known?.fed === since) return known;
      throw new WritError('WRONG_STATE', 'the kernel does not know the plan so far; show it everything', { field: 'since' });
    }
    if (sha256Hex(canonicalJson(envelope)) !== planSha256) throw new WritError('INVALID_MANIFEST', 'the envelope has another hash', { field: 'envelope' });
    return createPlanProgress({ planSha256, envelope: envelope as JsonObject }, plans.logic.start, plans.bindings);
  }

  async function genuine(step: PlanStep, { result }: StepEvidence): Promise<{ readonly failed: boolean; readonly capabilityId: string }> {
    let message = '';
    let failed = false;
    const capabilityId = await signedCapability(step, result, async (text, { manifest, manifestSha256 }) => {
      const subject = { taskId: manifest.task_id, capabilityId: manifest.capability_id, manifestSha256 };
      const verified = await verifyResult(text, subject, { keyring: executorKeyring, ed25519 });
      if (verified.ok) failed = verified.result.status === 'FAILURE';
      else message ||= verified.message;
      return verified.ok;
    });
    if (capabilityId === undefined) throw new WritError('INVALID_RESULT', `the answer to ${step.path} is not an executor's: ${message}`, { field: 'answers' });
    assertDecided(step, result, capabilityId, options.approvals);
    return { failed, capabilityId };
  }

  return async (request) => {
    const lease = await authorized(request);
    const progress = progressOf(request);
    for (const answer of request.answers) {
      const step = stepAt(progress, () => answer.generation);
      if (step.path !== answer.path) throw new WritError('INVALID_RESULT', `the plan is at ${step.path}, not at ${answer.path}`, { field: 'answers' });
      progress.feed(step, answer.result, (await genuine(step, answer)).capabilityId);
    }
    const step = stepAt(progress, () => request.voided.length);
    for (const [generation, answer] of request.voided.entries()) {
      const earlier = stepAt(progress, () => generation);
      if (!(await genuine(earlier, answer)).failed) throw new WritError('INVALID_RESULT', `${step.path} has succeeded`, { field: 'voided' });
    }
    kept.set(request.planSha256, progress);
    if (step.problem !== undefined) throw new WritError('LEASE_REFUSED', step.problem);
    assertAllowed(step, lease);
    return { step, planExp: lease.exp };
  };
}

function stepAt(progress: PlanProgress, generationOf: () => number): PlanStep {
  const next = progress.next(generationOf);
  if (isDone(next)) throw new WritError('WRONG_STATE', 'the plan has ended');
  return next;
}

/** The inputs of a capability that must lie in the plan's scopes, and how they are compared. */
const SCOPED = [
  { capabilities: FILE_CAPABILITIES, inputs: ['source_path', 'destination_path'], inside: isBelow, absent: 'allowed' },
  { capabilities: SEARCH_CAPABILITIES, inputs: ['target_scope'], inside: (value: unknown, scope: string) => value === scope, absent: 'allowed' },
  // Without a path a content search looks everywhere that it may.
  { capabilities: new Set<string>([CONTENT_SEARCH]), inputs: ['path'], inside: isSearchPlaceIn, absent: 'refused' },
] as const;

/** Throws WritError LEASE_REFUSED when the plan's lease does not allow the step. */
function assertAllowed({ manifest, capability, path }: PlanStep, { capabilities, scopes }: PlanLeasePayload): void {
  const allowed = capabilities.includes(capability) || (manifest.capability_id === 'TOOL_CALL' && capabilities.includes('TOOL_CALL'));
  if (!allowed) throw new WritError('LEASE_REFUSED', `the plan's lease does not allow ${capability}, which ${path} asks`);
  if (scopes === undefined) return;
  for (const { inputs, inside, absent } of SCOPED.filter((rule) => rule.capabilities.has(manifest.capability_id))) {
    for (const name of inputs.filter((input) => absent === 'refused' || input in manifest.inputs)) {
      if (!scopes.some((scope) => inside(manifest.inputs[name], scope)))
        throw new WritError('LEASE_REFUSED', `inputs.${name} of ${path} lies in no scope of the plan's lease`);
    }
  }
}
