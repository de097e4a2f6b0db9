import { isWritError } from '../../../core/errors.ts';
import type { Plans, PlanView } from '../../../core/ports/index.ts';

/** How a plan stood before it is put on its way; a forged end is none, and keeps nobody from pushing the plan. */
export async function viewBefore(id: string, plans: Pick<Plans, 'view'>): Promise<PlanView | undefined> {
  try {
    return await plans.view(id);
  } catch (error) {
    if (isWritError(error) && error.code === 'INVALID_RESULT') return undefined;
    throw error;
  }
}
