import { WritError } from '../../../core/errors.ts';
import type { Plans, PlanView } from '../../../core/ports/index.ts';
import { counted } from '../../../core/units.ts';
import { endErrorText } from '../../shared/plans/end-error.ts';
import { unknownPlan } from '../../shared/plans/plan-id.ts';
import { hasEnded, planStatusOf } from '../../shared/plans/view.ts';
import { waitForPlan } from '../../shared/plans/wait.ts';
import { whyNothingCame } from '../../shared/queues.ts';
import type { CommandContext } from '../command.ts';
import { pausedFor, watchPaused } from '../paused-watch.ts';
import { parseSeconds, printable } from '../text/values.ts';
import { createPlanProgress } from './progress.ts';

export interface FollowFlags {
  readonly wait?: boolean;
  readonly timeout: string;
}

/**
 * Waits for the end of a plan while its steps are shown, and answers with it. A plan that goes on making steps is no reason
 * to stop waiting; one of which there is no news for `--timeout` is.
 *
 * @param before how the plan stood before it was pushed or retried: an end that is still this one is not waited for
 * @throws WritError TIMEOUT without an end; INVALID_RESULT when no executor of this data directory signed it
 */
export async function followPlan(context: CommandContext, id: string, plans: Plans, flags: FollowFlags, before: PlanView | undefined): Promise<number> {
  const quietMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  const signal = context.interrupted();
  const quiet = new AbortController();
  const watchdog = setTimeout(() => quiet.abort(), quietMs);
  const progress = createPlanProgress(context);
  let last = '';
  let latest: PlanView | undefined;
  const seen = (view: PlanView): void => {
    if (isStale(view, before)) return;
    const now = JSON.stringify([view.state, view.stepsDone, view.current]);
    if (now !== last) watchdog.refresh();
    last = now;
    latest = view;
    progress.seen(view);
  };
  const look = async (): Promise<readonly string[]> => {
    const queue = latest && (await pausedFor(context, latest));
    return queue === undefined ? [] : [queue];
  };
  const watch = watchPaused(context, look, progress.aside);
  let view: PlanView | undefined;
  try {
    view = await waitForPlan(id, plans, {
      timeoutMs: 2 ** 31 - 1,
      signal: AbortSignal.any([signal, quiet.signal]),
      seen,
      isStale: (shown) => isStale(shown, before),
    });
  } finally {
    clearTimeout(watchdog);
    watch.stop();
    progress.stop();
  }
  if (view === undefined) throw unknownPlan(id);
  if (hasEnded(view) && !isStale(view, before)) return answerEnd(context, view);
  if (!signal.aborted) {
    const why = await whyNothingCame(async () => (await context.services()).queues());
    throw new WritError('TIMEOUT', `no news of plan ${id} for ${flags.timeout}: ${why}`);
  }
  await context.output.answer({ ...planStatusOf(view, false), interrupted: true }, () => `plan ${id} goes on; \`writ plan cancel\` ends it`);
  return 1;
}

function isStale(view: PlanView, before: PlanView | undefined): boolean {
  return before?.state === 'failure' && view.state === 'failure' && view.updated === before.updated;
}

/** The end of a plan, verified. */
export async function answerEnd(context: CommandContext, view: PlanView): Promise<number> {
  const { id, state, stepsDone, result } = view;
  if (result === undefined || !(await (await (await context.services()).planSignatures()).verifyEnd(result, id))) {
    throw new WritError('INVALID_RESULT', `the end of plan ${id} was not signed by an executor key of this data directory: do not trust it`);
  }
  await context.output.answer(planStatusOf(view, false), () => endText(state, stepsDone, endErrorText(view)));
  return state === 'success' ? 0 : 1;
}

function endText(state: PlanView['state'], stepsDone: number, error: string | undefined): string {
  const steps = counted(stepsDone, 'step');
  return state === 'success' ? `SUCCESS after ${steps}` : printable(`FAILURE after ${steps}${error === undefined ? '' : `: ${error}`}`);
}
