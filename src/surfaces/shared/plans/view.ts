import { PlanResult, type PlanStatus } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { wellFormed } from '../../../core/i-json.ts';
import type { PlanView } from '../../../core/ports/index.ts';

export function hasEnded({ state }: PlanView): boolean {
  return state === 'success' || state === 'failure';
}

/** Whether this is still the end that stood `before` the plan was put on its way again. */
export function isEndBefore(view: PlanView, before: PlanView | undefined): boolean {
  return before?.state === 'failure' && view.state === 'failure' && view.updated === before.updated;
}

const MAX_MESSAGE = 2000;

/**
 * A plan as every surface shows it. The view lies in Redis: what cannot be shown is cut.
 *
 * @param withResult add the signed end, which holds results and memory
 */
export function planStatusOf(view: PlanView, withResult: boolean): PlanStatus {
  const { id, state, stepsDone, current, cancelRequested, error, updated, notBefore } = view;
  return {
    plan_id: id,
    state,
    ...(notBefore === undefined ? {} : { not_before: new Date(notBefore).toISOString() }),
    steps_done: stepsDone,
    ...(current === undefined ? {} : { current: stepOf(current) }),
    cancel_requested: cancelRequested,
    ...(error === undefined ? {} : { error: { code: wellFormed(error.code), message: wellFormed(error.message.slice(0, MAX_MESSAGE)) } }),
    updated_at: new Date(updated).toISOString(),
    ...(withResult && view.result !== undefined ? { result: endOf(view.result) } : {}),
  };
}

function stepOf({ path, tool, operation, taskId, waits }: NonNullable<PlanView['current']>): NonNullable<PlanStatus['current']> {
  return {
    path,
    tool,
    operation,
    ...(taskId === undefined ? {} : { task_id: taskId }),
    ...(waits === undefined ? {} : { waits: { ...waits, until: new Date(waits.until).toISOString() } }),
  };
}

/**
 * The signed end as a document.
 *
 * @throws WritError INVALID_RESULT when it is none
 */
export function endOf(result: string): PlanResult {
  try {
    return PlanResult.parse(JSON.parse(result));
  } catch (error) {
    throw new WritError('INVALID_RESULT', 'what is stored for this plan is not the end of a plan', { cause: error });
  }
}
