import type { LeasePayload, ResultErrorCode } from '../contracts/index.ts';
import { GATE_MESSAGES } from '../core/refusal.ts';
import type { Verifier } from './token.ts';

export interface LeaseCircumstances {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Longest lifetime that is accepted, seconds. */
  readonly maxTtl: number;
  /** How far the kernel's clock may run ahead of the worker's, seconds; 60 unless told. */
  readonly clockSkew?: number;
  readonly isRevoked: (jti: string) => boolean;
}

/** What a worker's judgement of leases rests on. */
export interface WorkerAuthority {
  readonly verifier: Verifier;
  /** The only issuer whose leases count. */
  readonly issuer: string;
  /** As they are now. */
  circumstances(): LeaseCircumstances;
}

export interface LeaseRefusal {
  readonly code: Extract<ResultErrorCode, 'INVALID_LEASE' | 'LEASE_EXPIRED' | 'UNSUPPORTED_CAPABILITY'>;
  readonly message: string;
}

const CLOCK_SKEW_SECONDS = 60;

/**
 * Second stage (protocol.md section 3): may a *new* effect start now under an authenticated lease? Pure and synchronous,
 * because it is also the gate immediately before an intent is committed.
 *
 * @param capabilities of the executor that would run the task
 * @returns why not, or undefined
 */
export function authorizeLease(lease: LeasePayload, circumstances: LeaseCircumstances, capabilities: ReadonlySet<string>): LeaseRefusal | undefined {
  const refusal = authorizeTimes(lease, circumstances);
  if (refusal) return refusal;
  if (!capabilities.has(lease.capability_id)) return { code: 'UNSUPPORTED_CAPABILITY', message: `no executor here serves ${lease.capability_id}` };
  return undefined;
}

/** How long a lease that was signed for later is none yet, milliseconds; 0 from when a worker takes it, by its clock. */
export function earlyBy({ iat }: Pick<LeasePayload, 'iat'>, { now, clockSkew = CLOCK_SKEW_SECONDS }: Pick<LeaseCircumstances, 'now' | 'clockSkew'>): number {
  const ms = iat * 1000 - now;
  return ms > clockSkew * 1000 ? ms : 0;
}

/** Revocation, lifetime and expiry, of a task's lease or a plan's. */
export function authorizeTimes(
  lease: Pick<LeasePayload, 'jti' | 'iat' | 'exp'>,
  { now, maxTtl, clockSkew = CLOCK_SKEW_SECONDS, isRevoked }: LeaseCircumstances,
): LeaseRefusal | undefined {
  const seconds = now / 1000;
  if (isRevoked(lease.jti)) return { code: 'INVALID_LEASE', message: GATE_MESSAGES.revoked };
  if (lease.iat > seconds + clockSkew) return { code: 'INVALID_LEASE', message: GATE_MESSAGES.future };
  if (lease.exp - lease.iat > maxTtl) return { code: 'INVALID_LEASE', message: `${GATE_MESSAGES.tooLong} ${maxTtl} seconds` };
  if (seconds >= lease.exp) return { code: 'LEASE_EXPIRED', message: `the lease expired at ${new Date(lease.exp * 1000).toISOString()}` };
  return undefined;
}
