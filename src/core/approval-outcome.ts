import type { JsonObject } from './json.ts';
import { failure, type Outcome, success } from './outcome.ts';
import type { ApprovalDecision, StoredApproval } from './ports/approvals.ts';

/** What a decided approval is as the outcome of its step: the same bytes for the worker that signs them and the kernel that looks at them. */
export function approvalOutcome({ role, until }: Pick<StoredApproval, 'role' | 'until'>, { state, at, by, note, data }: ApprovalDecision): Outcome {
  const who = by ?? 'somebody';
  const when = new Date(at).toISOString();
  switch (state) {
    case 'approved': {
      const output: JsonObject = { approved: true, role, by: who, at: when, ...(note === undefined ? {} : { note }), ...(data === undefined ? {} : { data }) };
      return success(output);
    }
    case 'denied':
      return failure('APPROVAL_DENIED', `denied by ${who} at ${when}${note === undefined ? '' : `: ${note}`}`);
    case 'expired':
      return failure('APPROVAL_EXPIRED', `nobody with the role ${role} answered until ${new Date(until).toISOString()}`);
  }
}
