import { WritError } from '../../../core/errors.ts';
import { waitForPlan } from '../../shared/plans/wait.ts';
import type { CliServices } from '../services.ts';
import type { TourServices } from './scene.ts';

const END_WITHIN_MS = 30_000;

/** How the tour runs a plan: as `writ plan run --wait` does. */
export function runPlans(services: Pick<CliServices, 'planPreview' | 'plans' | 'planSignatures' | 'kernel'>): TourServices['runPlan'] {
  return async (envelope) => {
    const [preview, plans, signatures, kernel] = await Promise.all([services.planPreview(), services.plans(), services.planSignatures(), services.kernel()]);
    const linked = preview.link(envelope);
    const { lease } = await kernel.issuePlan(linked.envelope, {});
    await plans.push({ envelope: linked.envelope, lease });
    const view = await waitForPlan(linked.planSha256, plans, { timeoutMs: END_WITHIN_MS, signal: new AbortController().signal });
    if (view?.result === undefined) throw new WritError('TIMEOUT', `the plan is still ${view?.state ?? 'unknown'}`);
    if (!(await signatures.verifyEnd(view.result, linked.planSha256))) throw new WritError('INVALID_RESULT', "the signature of the plan's end does not verify");
    return view;
  };
}
