import type { Clock } from '../core/clock.ts';
import type { Ed25519, RevocationFeed } from '../core/ports/index.ts';
import type { WorkerAuthority } from './authorize-lease.ts';
import type { Keyring } from './keyring.ts';
import { createPlanAuthority, type PlanAuthority } from './plan-lease.ts';
import type { RevocationMirror } from './revocation-mirror.ts';
import { createTaskAuthority, type TaskAuthority } from './task-lease.ts';

export interface AuthoritiesOptions {
  readonly leaseKeys: Keyring;
  readonly ed25519: Ed25519;
  readonly revocations: RevocationMirror;
  readonly feed: RevocationFeed;
  readonly clock: Clock;
  /** The only issuer whose leases count. */
  readonly issuer: string;
  /** Longest lifetime of a lease that is accepted, seconds; asked for at each lease. */
  readonly maxTtl: number;
  /** How far the kernel's clock may run ahead, seconds; asked for at each lease. */
  readonly clockSkew?: number;
}

/** Everything that a worker asks about authority, with its keys, clock and revocations already in hand. */
export interface Authorities extends TaskAuthority, PlanAuthority {
  /** Brings the revocation mirror up to what was published before this call. */
  refresh(): Promise<void>;
}

export function createAuthorities(options: AuthoritiesOptions): Authorities {
  const { leaseKeys, ed25519, revocations, feed, clock, issuer } = options;
  const circumstances = () => ({
    now: clock.now(),
    maxTtl: options.maxTtl,
    isRevoked: revocations.isRevoked,
    ...(options.clockSkew === undefined ? {} : { clockSkew: options.clockSkew }),
  });
  const worker: WorkerAuthority = { verifier: { keyring: leaseKeys, ed25519 }, issuer, circumstances };
  return {
    ...createTaskAuthority(worker),
    ...createPlanAuthority(worker),
    refresh: () => revocations.catchUp(feed),
  };
}
