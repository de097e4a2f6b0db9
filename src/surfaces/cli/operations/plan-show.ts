import { WritError } from '../../../core/errors.ts';
import type { PlanView } from '../../../core/ports/index.ts';
import { planIdOf, unknownPlan } from '../../shared/plans/plan-id.ts';
import { endOf, hasEnded, planStatusOf } from '../../shared/plans/view.ts';
import type { Call } from '../command.ts';
import { pairs } from '../text/table.ts';
import { duration, printable } from '../text/values.ts';

export interface PlanShowFlags {
  readonly memory?: boolean;
  readonly verify?: boolean;
}

/** `writ plan show`: where a plan is, or how it ended. */
export async function runPlanShow(call: Call, flags: PlanShowFlags, word: string): Promise<number> {
  const id = planIdOf(word);
  const services = await call.services();
  const view = await (await services.plans()).view(id);
  if (view === undefined) throw unknownPlan(id);
  const verified = flags.verify === true && view.result !== undefined ? await (await services.planSignatures()).verifyEnd(view.result, id) : undefined;
  const value = { ...planStatusOf(view, flags.memory === true), ...(verified === undefined ? {} : { verified }) };
  await call.output.answer(value, () => text(view, flags, verified, call.clock.now()));
  if (verified === false)
    throw new WritError('INVALID_RESULT', `the end of plan ${id} was not signed by an executor key of this data directory: do not trust it`);
  if (!hasEnded(view)) return 3;
  return view.state === 'success' ? 0 : 1;
}

function text(view: PlanView, { memory }: PlanShowFlags, verified: boolean | undefined, now: number): string {
  const { id, state, stepsDone, current, cancelRequested, error, updated } = view;
  const rows: [string, string][] = [
    ['plan', id],
    ['state', state],
    ['steps done', String(stepsDone)],
  ];
  if (current !== undefined && !hasEnded(view)) {
    rows.push(['current step', `${current.tool} ${current.operation} at ${current.path}`]);
    if (current.taskId !== undefined) rows.push(['its task', current.taskId]);
  }
  if (cancelRequested) rows.push(['cancel', 'asked']);
  if (error !== undefined) rows.push(['error', `${error.code}: ${error.message}`]);
  rows.push(['changed', `${duration(now - updated)} ago`]);
  if (verified !== undefined) rows.push(['signature', verified ? 'verified' : 'DOES NOT VERIFY']);
  const shown = memory === true && view.result !== undefined ? `\n${documentText(endOf(view.result).envelope)}` : '';
  return `${pairs(rows)}${shown}`;
}

function documentText(document: object): string {
  return JSON.stringify(document, null, 2).split('\n').map(printable).join('\n');
}
