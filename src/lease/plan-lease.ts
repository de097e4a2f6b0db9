import { BOUNDS, PLAN_CAPABILITY, PLAN_LEASE_TYP, PlanLeasePayload, PlanLeaseToken } from '../contracts/index.ts';
import { canonicalJson, parseStrictJson } from '../core/canonical-json.ts';
import { WritError } from '../core/errors.ts';
import type { Ed25519 } from '../core/ports/index.ts';
import { authorizeTimes, earlyBy, type LeaseRefusal, type WorkerAuthority } from './authorize-lease.ts';
import { toBase64url } from './base64url.ts';
import { mayServe, type SigningKey } from './keys.ts';
import { type Checked, refused, signToken, splitToken, type Verifier, verifySignature } from './token.ts';

/** The token is larger than its payload. */
const MAX_LEASE_BYTES = BOUNDS.planLease;

/** What a plan lease must say to be permission for this plan on this queue. */
export interface PlanLeaseExpectations {
  readonly planSha256: string;
  /** Queue name including its pool. */
  readonly aud: string;
  readonly iss: string;
}

/** What a worker asks about the lease of a plan. */
export interface PlanAuthority {
  /** Is it the kernel's word about this plan on this queue? As `authenticatePlanLease`. */
  authenticatePlan(planSha256: string, lease: string | undefined, queue: string): Promise<AuthenticatedPlanLease>;
  /** Revocation, lifetime and expiry, now. */
  authorizePlan(lease: PlanLeasePayload): LeaseRefusal | undefined;
  /** How long it is too early for the plan, milliseconds; 0: it is not. */
  earlyBy(lease: PlanLeasePayload): number;
}

type AuthenticatedPlanLease = Checked<{ readonly lease: PlanLeasePayload }>;

export function createPlanAuthority({ verifier, issuer, circumstances }: WorkerAuthority): PlanAuthority {
  return {
    authenticatePlan: (planSha256, lease, queue) => authenticatePlanLease(lease, { planSha256, aud: queue, iss: issuer }, verifier),
    authorizePlan: (lease) => authorizeTimes(lease, circumstances()),
    earlyBy: (lease) => earlyBy(lease, circumstances()),
  };
}

/**
 * Signs a plan's lease.
 *
 * @throws WritError LEASE_REFUSED for a key that may not sign it, INVALID_ARGUMENT for a payload that is no plan lease, or too large to be read as one
 */
export async function signPlanLease(payload: PlanLeasePayload, key: SigningKey, ed25519: Ed25519): Promise<string> {
  const shape = PlanLeasePayload.safeParse(payload);
  if (!shape.success) {
    const field = shape.error.issues[0]?.path.join('.') ?? '';
    throw new WritError('INVALID_ARGUMENT', `the plan lease's ${field} ${shape.error.issues[0]?.message ?? ''}`, { field });
  }
  if (key.use !== 'lease' || !mayServe(key, PLAN_CAPABILITY)) throw new WritError('LEASE_REFUSED', `the key ${key.kid} may not sign a lease for a plan`);
  const token = await signToken(PLAN_LEASE_TYP, payload, key, ed25519);
  if (token.length > BOUNDS.planLease) {
    throw new WritError('INVALID_ARGUMENT', `the plan lease would have ${token.length} bytes, at most ${BOUNDS.planLease} are read`, { field: 'scopes' });
  }
  return token;
}

/** A genuine plan lease, whatever it allows. Never throws on hostile input; a keyring that cannot be read throws. */
export async function openPlanLease(token: string | undefined, verifier: Verifier): Promise<AuthenticatedPlanLease> {
  if (token === undefined || token === '') return refused('the job carries no lease');
  if (!PlanLeaseToken.safeParse(token).success) return refused('the lease is too long');
  const parts = splitToken(token);
  if (parts === undefined) return refused('the lease is not a compact JWS');
  const signed = await verifySignature(parts, PLAN_LEASE_TYP, verifier);
  if (!signed.ok) return signed;
  const payload = readPlanLease(parts.payload);
  if (payload === undefined) return refused('the payload is not a plan lease in canonical form');
  if (!mayServe(signed.key, PLAN_CAPABILITY)) return refused(`the key ${signed.key.kid} may not sign a lease for a plan`);
  return { ok: true, lease: payload };
}

/** Whether the token is the kernel's word about exactly this plan on this queue; says nothing about time or revocation. */
export async function authenticatePlanLease(token: string | undefined, expected: PlanLeaseExpectations, verifier: Verifier): Promise<AuthenticatedPlanLease> {
  const opened = await openPlanLease(token, verifier);
  if (!opened.ok) return opened;
  const { lease } = opened;
  if (lease.iss !== expected.iss) return refused(`the lease was issued by ${lease.iss}, not by ${expected.iss}`);
  if (lease.aud !== expected.aud) return refused(`the lease is for the queue ${lease.aud}, not for ${expected.aud}`);
  if (lease.plan_sha256 !== expected.planSha256) return refused('the lease is for another plan');
  return opened;
}

/** One value, one token: the payload must be the encoding of its own canonical form. */
function readPlanLease(part: string): PlanLeasePayload | undefined {
  try {
    const text = Buffer.from(part, 'base64url').toString('utf8');
    const value = parseStrictJson(text, { maxBytes: MAX_LEASE_BYTES, maxDepth: 3 });
    return toBase64url(text) === part && canonicalJson(value) === text ? PlanLeasePayload.safeParse(value).data : undefined;
  } catch {
    return undefined;
  }
}
