import type { PlanHistory } from '../../../contracts/index.ts';
import type { ListPage, Plans } from '../../../core/ports/index.ts';
import { unknownPlan } from './plan-id.ts';

/**
 * The steps of a plan with their times; none of a plan that has not begun, or whose journal lies on another host.
 *
 * @throws WritError NOT_FOUND, INVALID_ARGUMENT, INVALID_RESULT, STORAGE_UNAVAILABLE
 */
export async function planHistory(id: string, page: ListPage, plans: Pick<Plans, 'history' | 'view'>): Promise<PlanHistory> {
  const known = await plans.history(id, page);
  if (known !== undefined) return known;
  const view = await plans.view(id);
  if (view === undefined) throw unknownPlan(id);
  return { plan_id: id, state: view.state, retries: 0, updated_at: new Date(view.updated).toISOString(), steps: [] };
}
