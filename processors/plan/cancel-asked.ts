import type { PlanContext, PlanDeps } from './context.ts';

/** Whether the view, where a cancel is asked, says so now. */
export async function isCancelAsked({ planSha256 }: Pick<PlanContext, 'planSha256'>, { views }: PlanDeps): Promise<boolean> {
  return (await views.read(planSha256))?.cancelRequested ?? false;
}
