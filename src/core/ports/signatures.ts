import type { ExecutionResult, LeasePayload, TaskManifest } from '../../contracts/index.ts';
import type { Result } from '../result.ts';

/** What a lease says and whether it holds, or in a sentence why it does not; nothing in it is believed before `ok`. */
export type LeaseReading = Result<{ readonly payload: LeasePayload; readonly kid: string }, string>;

/** Judges what was signed, with public keys only. */
export interface SignatureReader {
  /** Payload without any check; `undefined` when it is no lease at all. */
  peek(lease: string): LeasePayload | undefined;
  /**
   * Signature, key, issuer and, with a manifest, that the lease was issued for it and for the queue (unless given,
   * the one that a push takes). Expiry is the caller's to look at.
   *
   * @param granted the kernel has just answered it over its socket: everything is looked at but the mathematics of the signature
   */
  readLease(lease: string, manifest: TaskManifest | undefined, queue?: string, granted?: boolean): Promise<LeaseReading>;
  /** The number under which the lease was revoked. */
  revocationOf(jti: string): Promise<number | undefined>;
  verifyResult(result: string, about: { readonly taskId: string; readonly capabilityId: string; readonly manifestSha256: string }): Promise<boolean>;
}

/** What a text that lies in Redis claims to be the result of. */
export interface ResultClaim {
  readonly taskId: string;
  /** Hashes under one of which it must have been signed; empty ones count as none. */
  readonly manifestSha256s: readonly string[];
  /** All that are served here unless given. */
  readonly capabilityId?: string | undefined;
  /** What the task's job says, which anybody may have written: tried first, because a FAILURE does not name its capability. */
  readonly likely?: string | undefined;
  /** It lies under the key of a refused job: only a refusal counts there, and only there (`isRefusal`). */
  readonly refusal?: boolean;
}

/** A result that an executor that is trusted here has signed for this task and manifest. */
export interface GenuineResult {
  readonly outcome: ExecutionResult;
  readonly manifestSha256: string;
  /** Of which capability it was signed. */
  readonly capabilityId: string;
}

/** Tells the results of executors from what others have written into Redis. */
export interface ResultReader {
  /**
   * `undefined` for every text that is no signed answer to the task. What was verified once is remembered by its hash while
   * the key that signed it is trusted.
   *
   * Throws WritError STORAGE_UNAVAILABLE when nobody can tell whom to trust.
   */
  read(text: string, claim: ResultClaim): Promise<GenuineResult | undefined>;
}

/** Tells the signed ends of plans from what others have written into Redis. */
export interface PlanEndReader {
  /** Whether an executor that is trusted here signed this end of this plan. Throws WritError STORAGE_UNAVAILABLE. */
  verifyEnd(text: string, planSha256: string): Promise<boolean>;
}
