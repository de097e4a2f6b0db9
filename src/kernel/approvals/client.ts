import type { ApprovalDesk } from '../../core/ports/index.ts';
import type { KernelCalls } from '../client-http.ts';
import { ApprovalListReply, ApprovalReply } from './wire.ts';

/** The register of approvals over the kernel's socket; `by`: in whose name. */
export function approvalDesk({ call }: Pick<KernelCalls, 'call'>, by: string): ApprovalDesk {
  return {
    list: async (plan) => (await call(ApprovalListReply, 'POST', '/approvals', plan === undefined ? {} : { plan })).approvals,
    decide: ({ planSha256, taskId, ...word }, roles) =>
      call(ApprovalReply, 'POST', '/approvals/decide', { plan_sha256: planSha256, step: taskId, ...word, roles, by }),
  };
}
