import type { LeasePayload, PlanLeasePayload, TaskManifest } from '../contracts/index.ts';
import type { Clock } from '../core/clock.ts';
import type { Ed25519, RevocationFeed } from '../core/ports/index.ts';
import { authorizeLease, authorizeTimes, type LeaseRefusal } from './authorize-lease.ts';
import type { Keyring } from './keyring.ts';
import { authenticatePlanLease } from './plan-lease.ts';
import type { RevocationMirror } from './revocation-mirror.ts';
import { type AuthenticatedLease, authenticateLease } from './task-lease.ts';
import type { Checked } from './token.ts';

export interface AuthoritiesOptions {
  readonly leaseKeys: Keyring;
  readonly ed25519: Ed25519;
  readonly revocations: RevocationMirror;
  readonly feed: RevocationFeed;
  readonly clock: Clock;
  /** The only issuer whose leases count. */
  readonly issuer: string;
  /** Longest lifetime of a lease that is accepted, seconds. */
  readonly maxTtl: number;
}

/** Everything that a worker asks about authority, with its keys, clock and revocations already in hand. */
export interface Authorities {
  authenticate(manifest: TaskManifest, manifestSha256: string, lease: string | undefined, queue: string): Promise<AuthenticatedLease>;
  /** Brings the revocation mirror up to what was published before this call. */
  refresh(): Promise<void>;
  /** Revocation, lifetime, expiry and capability, now. */
  authorize(lease: LeasePayload, capabilities: ReadonlySet<string>): LeaseRefusal | undefined;
  authenticatePlan(planSha256: string, lease: string | undefined, queue: string): Promise<Checked<{ readonly lease: PlanLeasePayload }>>;
  /** Revocation, lifetime and expiry of a plan's lease, now. */
  authorizePlan(lease: PlanLeasePayload): LeaseRefusal | undefined;
}

export function createAuthorities({ leaseKeys, ed25519, revocations, feed, clock, issuer, maxTtl }: AuthoritiesOptions): Authorities {
  const leases = { keyring: leaseKeys, ed25519 };
  return {
    authenticate: (manifest, manifestSha256, lease, queue) => authenticateLease(lease, { manifest, manifestSha256, aud: queue, iss: issuer }, leases),
    refresh: () => revocations.catchUp(feed),
    authorize: (lease, capabilities) => authorizeLease(lease, { now: clock.now(), maxTtl, isRevoked: revocations.isRevoked, capabilities }),
    authenticatePlan: (planSha256, lease, queue) => authenticatePlanLease(lease, { planSha256, aud: queue, iss: issuer }, leases),
    authorizePlan: (lease) => authorizeTimes(lease, { now: clock.now(), maxTtl, isRevoked: revocations.isRevoked }),
  };
}
