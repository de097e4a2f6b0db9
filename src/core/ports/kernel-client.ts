import type { TaskJob, TaskManifest } from '../../contracts/index.ts';
import type { ErrorCode } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { ApprovalDesk } from './approvals.ts';
import type { RevokeAnswer } from './kernel.ts';
import type { PlanTerms } from './plan-gateway.ts';
import type { GrantedPlanLease } from './plans.ts';
import type { ScheduleDesk } from './schedules.ts';

export interface LeaseTerms {
  /** Life of the lease, seconds; the kernel's default unless given. */
  readonly ttlS?: number;
  /** Seconds since 1970 from which the lease counts; from now on unless given. */
  readonly notBeforeS?: number;
  /** Who confirmed a manifest with `hrc_required`. */
  readonly confirmedBy?: string;
}

/** The kernel's answer to one manifest of many. */
export type Grant =
  | { readonly kind: 'granted'; readonly lease: string }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly field?: string };

/** What a new lease is asked for, and the signed FAILURE that it rests on. */
export interface FailedManifest {
  readonly manifest: TaskManifest;
  readonly failure: string;
}

/** The kernel's word about one manifest of many, nothing signed. `queue`: the one that a lease would name. */
export type Judgement = Extract<Grant, { readonly kind: 'refused' }> | { readonly kind: 'grantable'; readonly queue?: string };

/** The kernel as a surface needs it; the audit says for whom it asks. Throws WritError KERNEL_UNAVAILABLE and the kernel's refusals. */
export interface KernelClient {
  /** Grants in the order of the manifests; how many are asked for at once is not the caller's concern. */
  issue(manifests: readonly TaskManifest[], terms: LeaseTerms): Promise<readonly Grant[]>;
  /** What `issue` would answer now; nothing is signed or recorded. */
  judge(manifests: readonly TaskManifest[], terms: LeaseTerms): Promise<readonly Judgement[]>;
  /** A lease for a linked envelope; also one in place of an earlier lease (`renews`). */
  issuePlan(envelope: JsonObject, terms: PlanTerms): Promise<GrantedPlanLease>;
  /** New leases for the manifests of failed tasks, in their order; how many are asked for at once is not the caller's concern. */
  regrant(failed: readonly FailedManifest[], terms: LeaseTerms): Promise<readonly Grant[]>;
  /** The task that takes back a standing effect; `success` is the signed result of the task that is undone. */
  undo(undone: { readonly manifest: TaskManifest; readonly success: string; readonly earlierUndos: number }): Promise<TaskJob>;
  /** A lease, or the jti of one with a bound for its expiry (seconds). */
  revoke(lease: string | { readonly jti: string; readonly exp: number }): Promise<RevokeAnswer>;
  /** The manifest that was leased under the id. */
  leasedManifest(taskId: string): Promise<TaskManifest | undefined>;
  readonly schedules: ScheduleDesk;
  readonly approvals: ApprovalDesk;
  ping(): Promise<void>;
}
