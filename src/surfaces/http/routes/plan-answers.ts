import type { PlanView } from '../../../core/ports/index.ts';
import { heldPlan } from '../../shared/paused/held.ts';
import { assertGenuineEnd } from '../../shared/plans/genuine-end.ts';
import { hasEnded, isEndBefore, planStatusOf } from '../../shared/plans/view.ts';
import { waitForPlan } from '../../shared/plans/wait.ts';
import type { HttpServices } from '../services.ts';
import type { Wait, Waited } from './answers.ts';

type Held = Awaited<ReturnType<typeof heldPlan>>;

/**
 * The end of a plan that was put on its way, when the client asked to wait and there is one in time.
 *
 * @param before how it stood before: that end is not the one that is waited for
 * @returns a 200 with the plan, else which paused queue holds it up
 */
export async function endWithin(
  id: string,
  wait: Wait | undefined,
  before: PlanView | undefined,
  call: { readonly services: HttpServices; readonly signal: AbortSignal },
  headers: Readonly<Record<string, string>> = {},
): Promise<Waited<Held>> {
  if (!wait) return { held: {} };
  const isStale = (view: PlanView): boolean => isEndBefore(view, before);
  const view = await waitForPlan(id, call.services.plans.plans, { timeoutMs: wait.timeoutMs, signal: call.signal, isStale });
  if (view === undefined) return { held: {} };
  if (!hasEnded(view) || isStale(view)) return { held: await heldPlan(view, call.services) };
  await assertGenuineEnd(view, call.services.plans.signatures);
  return { answer: { status: 200, body: planStatusOf(view, false), headers: { ...headers, ...wait.headers } } };
}
