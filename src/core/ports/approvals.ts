import type { ApprovalAnswer, ApprovalState, ApprovalView, ApproverRole, Role } from '../../contracts/index.ts';
import type { JsonObject } from '../json.ts';

/** What became of a question. Written once. */
export interface ApprovalDecision {
  readonly state: Exclude<ApprovalState, 'open' | 'withdrawn'>;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Who; `undefined` where the deadline has decided, or nobody said. */
  readonly by: string | undefined;
  readonly note: string | undefined;
  readonly data: JsonObject | undefined;
}

/** A question that a step of a plan has asked (docs/plan-protocol.md 10). Times are milliseconds since 1970. */
export interface StoredApproval {
  readonly taskId: string;
  readonly planSha256: string;
  readonly path: string;
  /** Of the step as it was asked: an answer counts for no other question. */
  readonly manifestSha256: string;
  readonly role: ApproverRole;
  readonly question: string;
  readonly askedAt: number;
  readonly until: number;
  /** `undefined` while it is open. */
  readonly decision: ApprovalDecision | undefined;
}

/** The approvals of a kernel: part of its store, synchronous and durable when a call returns. */
export interface ApprovalStore {
  approval(taskId: string): StoredApproval | undefined;
  /** Writes the question, unless one stands under its id; answers what stands then. */
  ask(approval: Omit<StoredApproval, 'decision'>): StoredApproval;
  /** Writes the decision, unless there is one; answers what stands then, `undefined` where nothing was asked. */
  decide(taskId: string, decision: ApprovalDecision): StoredApproval | undefined;
  /** Undecided ones whose deadline comes after `now`, the nearest first. */
  open(now: number, limit: number): readonly StoredApproval[];
  /** In the order in which they were asked. */
  ofPlan(planSha256: string, limit: number): readonly StoredApproval[];
}

/** One word about one question. */
export interface ApprovalWord {
  readonly planSha256: string;
  readonly taskId: string;
  readonly answer: ApprovalAnswer;
  readonly note?: string;
  readonly data?: unknown;
}

/** Approvals as surfaces work with them, in somebody's name. Throws WritError KERNEL_UNAVAILABLE. */
export interface ApprovalDesk {
  /** Those that wait, the nearest deadline first; of one plan all that were asked. */
  list(planSha256?: string): Promise<readonly ApprovalView[]>;
  /**
   * Answers one. The same word once more has the same answer.
   *
   * @param roles of whoever answers, as the surface has found them
   * @throws WritError NOT_FOUND (never asked), FORBIDDEN (not with these roles), WRONG_STATE (decided otherwise, or too late),
   * INVALID_ARGUMENT
   */
  decide(word: ApprovalWord, roles: readonly Role[]): Promise<ApprovalView>;
}
