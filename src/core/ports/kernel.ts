import type { TaskManifest } from '../../contracts/index.ts';
import type { ErrorCode } from '../errors.ts';

/** A manifest for which somebody asks a lease. */
export interface IssueRequest {
  /** Judged by the kernel. */
  readonly manifest: unknown;
  /** Who confirmed a manifest with `hrc_required`; recorded. */
  readonly confirmedBy?: string;
}

export interface GrantOptions {
  /** Lifetime in seconds; default `lease.ttl`, at most `lease.max_ttl`. */
  readonly ttl?: number;
  /** Who asks, for the audit log. */
  readonly by?: string;
}

export interface GrantedLease {
  readonly taskId: string;
  readonly manifestSha256: string;
  /** Compact JWS. */
  readonly lease: string;
  readonly jti: string;
  /** Seconds since 1970. */
  readonly exp: number;
}

/** One answer per manifest, in order: a bad manifest does not spoil the rest of its batch. */
export type IssueAnswer =
  | ({ readonly ok: true } & GrantedLease)
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string; readonly field?: string };

export interface UndoGrant extends GrantedLease {
  /** The manifest that takes the effect back; the kernel computed it. */
  readonly manifest: TaskManifest;
}

export type RevokeRequest =
  | { readonly lease: string; readonly by?: string }
  | { readonly jti: string /** the lease's own expiry, seconds */; readonly exp: number; readonly by?: string };

export interface RevokeAnswer {
  /** Number of the entry in the revocation log. */
  readonly n: number;
  readonly jti: string;
  /** False while Redis cannot be reached: the entry is durable and is published as soon as it can be. */
  readonly published: boolean;
}

export interface KernelHealth {
  readonly issuer: string;
  readonly kid: string;
  readonly revocations: { readonly number: number; readonly published: boolean; readonly problem?: string };
}

/**
 * What the kernel role does for others; the kernel itself and its client over the unix socket are the two implementations.
 * Refusals are WritErrors.
 */
export interface KernelOperations {
  /** At most 500 manifests a call. */
  issue(requests: readonly IssueRequest[], options?: GrantOptions): Promise<readonly IssueAnswer[]>;
  /** A new lease for a manifest whose last run failed; `result` is the executor-signed FAILURE. */
  regrant(request: { readonly manifest: unknown; readonly result: string }, options?: GrantOptions): Promise<GrantedLease>;
  /** A lease for taking back a task; `result` is its executor-signed SUCCESS, `earlierUndos` counts the undos so far. */
  undo(request: { readonly manifest: unknown; readonly result: string; readonly earlierUndos: number }, options?: GrantOptions): Promise<UndoGrant>;
  /** Durable when it resolves. Revoking twice answers the first entry. */
  revoke(request: RevokeRequest): Promise<RevokeAnswer>;
  /** The manifest that was leased under the id, for `undo` long after its job is gone. */
  leasedManifest(taskId: string): Promise<TaskManifest | undefined>;
  /** JWKS of the keys that verify leases. */
  keys(): Promise<{ readonly keys: readonly object[] }>;
  health(): Promise<KernelHealth>;
}
