import type { PlanReceipt } from '../../../core/ports/index.ts';
import type { Call } from '../command.ts';
import { answerEnd, type FollowFlags, followPlan } from '../plan/follow-plan.ts';
import { readPlan } from '../plan/read-plan.ts';
import { parseSeconds } from '../text/values.ts';

export interface PlanRunFlags extends FollowFlags {
  readonly ttl?: string;
}

/** `writ plan run`: links, has the kernel sign the lease, pushes; with --wait, follows the steps to the end. */
export async function runPlanRun(call: Call, flags: PlanRunFlags, file: string): Promise<number> {
  const terms = flags.ttl === undefined ? {} : { ttlS: parseSeconds(flags.ttl, '--ttl') };
  parseSeconds(flags.timeout, '--timeout');
  const { envelope, planSha256 } = await readPlan(call, file);
  const services = await call.services();
  const [plans, kernel] = [await services.plans(), await services.kernel()];
  const { lease } = await kernel.issuePlan(envelope, terms);
  const before = await plans.view(planSha256);
  const receipt = await plans.push({ envelope, lease });
  if (flags.wait === true) {
    await call.output.line(receiptLine(planSha256, receipt));
    if (!call.output.json) call.output.note(receiptText(planSha256, receipt));
    const view = receipt.kind === 'finished' ? await plans.view(planSha256) : undefined;
    return view?.state === 'success' ? answerEnd(call, view) : followPlan(call, planSha256, plans, flags, before);
  }
  await call.output.answer(receiptLine(planSha256, receipt), () => receiptText(planSha256, receipt));
  return 0;
}

const WORDS = {
  accepted: 'is queued',
  'in-flight': 'waits or runs already',
  retried: 'runs on from where it failed',
  finished: 'has succeeded before; nothing is done again',
} satisfies Record<PlanReceipt['kind'], string>;

function receiptText(id: string, { kind }: PlanReceipt): string {
  return `plan ${id} ${WORDS[kind]}`;
}

function receiptLine(id: string, receipt: PlanReceipt): Record<string, unknown> {
  return { plan_id: id, receipt: receipt.kind, ...('jobId' in receipt ? { queue: receipt.queue, job_id: receipt.jobId } : {}) };
}
