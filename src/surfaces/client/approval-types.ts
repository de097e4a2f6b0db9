/** A step that waits for somebody with a role (docs/plans.md), as the kernel has it. */
export interface ApprovalView {
  plan_id: string;
  /** `task_id` of the step. */
  step: string;
  path: string;
  role: 'approve' | 'operate' | 'kernel';
  question: string;
  state: 'open' | 'approved' | 'denied' | 'expired' | 'withdrawn';
  asked_at: string;
  until: string;
  decided_at?: string | undefined;
  decided_by?: string | undefined;
  note?: string | undefined;
  data?: Record<string, unknown> | undefined;
}

export interface ApprovalList {
  approvals: ApprovalView[];
}

export interface ApprovalRequest {
  /** `task_id` of the step that is answered. */
  step: string;
  /** Why; stands in the result of the step. */
  note?: string | undefined;
  /** For an approval only: what the plan sees at `$.data.data`, at most 16 KiB. */
  data?: Record<string, unknown> | undefined;
}
