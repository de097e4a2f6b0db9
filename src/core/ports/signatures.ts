import type { LeasePayload, TaskManifest } from '../../contracts/index.ts';
import type { Result } from '../result.ts';

/** What a lease says and whether it holds, or in a sentence why it does not; nothing in it is believed before `ok`. */
export type LeaseReading = Result<{ readonly payload: LeasePayload; readonly kid: string }, string>;

/** Judges what was signed, with public keys only. */
export interface SignatureReader {
  /** Payload without any check; `undefined` when it is no lease at all. */
  peek(lease: string): LeasePayload | undefined;
  /**
   * Signature, key, issuer and, with a manifest, that the lease was issued for it and for the queue (the capability's own
   * unless given). Expiry is the caller's to look at.
   */
  readLease(lease: string, manifest: TaskManifest | undefined, queue?: string): Promise<LeaseReading>;
  /** The number under which the lease was revoked. */
  revocationOf(jti: string): Promise<number | undefined>;
  verifyResult(result: string, about: { readonly taskId: string; readonly capabilityId: string; readonly manifestSha256: string }): Promise<boolean>;
}
