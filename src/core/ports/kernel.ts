import type { TaskManifest } from '../../contracts/index.ts';
import type { ErrorCode } from '../errors.ts';
import type { StoredApproval } from './approvals.ts';
import type { GrantedPlanLease } from './plans.ts';

/** A manifest for which somebody asks a lease. */
export interface IssueRequest {
  /** Judged by the kernel. */
  readonly manifest: unknown;
  /** Who confirmed a manifest with `hrc_required`; recorded. */
  readonly confirmedBy?: string;
}

/** A manifest whose last run failed. */
export interface RegrantRequest {
  /** Judged by the kernel. */
  readonly manifest: unknown;
  /** The executor-signed FAILURE. */
  readonly result: string;
}

export interface GrantOptions {
  /** Lifetime in seconds; default `lease.ttl_s`, at most `lease.max_ttl_s`. */
  readonly ttl?: number;
  /** Who asks, for the audit log. */
  readonly by?: string;
  /** Seconds since 1970 from which the lease counts, at most 366 days ahead; from now on unless given, or when it is past. */
  readonly notBefore?: number;
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

/** A refusal of one manifest of a batch. */
export type IssueRefusal = Extract<IssueAnswer, { readonly ok: false }>;

/** A manifest that would get a lease now, and the queue that it would name. */
export interface Grantable {
  readonly ok: true;
  readonly aud?: string | undefined;
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
  /** What `issue` would answer now; nothing is signed or recorded. At most 500 manifests a call. */
  judge(requests: readonly IssueRequest[], options?: GrantOptions): Promise<readonly (IssueRefusal | Grantable)[]>;
  /** A new lease for a manifest whose last run failed; `result` is the executor-signed FAILURE. */
  regrant(request: RegrantRequest, options?: GrantOptions): Promise<GrantedLease>;
  /** `regrant` of many at once: at most 500 a call, signed and recorded together. */
  regrantMany(requests: readonly RegrantRequest[], options?: GrantOptions): Promise<readonly IssueAnswer[]>;
  /** A lease for taking back a task; `result` is its executor-signed SUCCESS, `earlierUndos` counts the undos so far. */
  undo(request: { readonly manifest: unknown; readonly result: string; readonly earlierUndos: number }, options?: GrantOptions): Promise<UndoGrant>;
  /** A lease for a whole plan. */
  issuePlan(request: PlanLeaseRequest, options?: GrantOptions): Promise<GrantedPlanLease>;
  /** Durable when it resolves. Revoking twice answers the first entry. */
  revoke(request: RevokeRequest): Promise<RevokeAnswer>;
  /** The manifest that was leased under the id, for `undo` long after its job is gone. */
  leasedManifest(taskId: string): Promise<TaskManifest | undefined>;
  /** JWKS of the keys that verify leases. */
  keys(): Promise<{ readonly keys: readonly object[] }>;
  health(): Promise<KernelHealth>;
}

export interface PlanLeaseRequest {
  /** The linked envelope. */
  readonly envelope: unknown;
  /** What its steps may ask; all that it can reach unless given. */
  readonly capabilities?: readonly string[];
  /** Directories of file steps and scopes of searches; no restriction unless given. */
  readonly scopes?: readonly string[];
  /** An earlier lease of the plan: the new one allows what that did, whatever else is asked (docs/plan-protocol.md 4). */
  readonly renews?: string;
}

/** An executor's answer to one step, as the kernel asks to see it. */
export interface StepEvidence {
  readonly path: string;
  readonly generation: number;
  /** The signed ExecutionResult. */
  readonly result: string;
}

export interface DeriveRequest {
  readonly planSha256: string;
  /** The plan lease. */
  readonly lease: string;
  /** The linked envelope; may be left out when `since` is not 0. */
  readonly envelope?: unknown;
  /** How many answers the kernel has been shown before; it knows them still, or refuses with WRONG_STATE. */
  readonly since: number;
  /** The answers after those, in the order in which the plan saw them. */
  readonly answers: readonly StepEvidence[];
  /** The answers that retries have taken back from the step that is asked for. */
  readonly voided: readonly StepEvidence[];
  /** What the caller takes the step's manifest to be, which then need not travel. The kernel believes nothing of it. */
  readonly known?: { readonly manifest: TaskManifest; readonly manifestSha256: string };
}

/** A lease for the step that the plan has reached; the kernel computed its manifest. */
export interface DerivedLease extends GrantedLease {
  readonly manifest: TaskManifest;
}

/**
 * The part of the kernel that the plan role may reach. Throws WritError WRONG_STATE (show everything again, or the plan has
 * ended), LEASE_REFUSED, LEASE_EXPIRED, INVALID_LEASE, INVALID_RESULT, INVALID_MANIFEST, KERNEL_UNAVAILABLE.
 */
export interface PlanKernel {
  derive(request: DeriveRequest): Promise<DerivedLease>;
}

/** The part that keeps approvals, for the plan role. Throws as `derive`, and WritError TASK_ID_CONFLICT: the step asks something else now. */
export interface QuestionKernel {
  /** Where the question stands that the step asks which the plan has reached. */
  askApproval(request: DeriveRequest): Promise<StoredApproval>;
}
