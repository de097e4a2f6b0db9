import { type PlanStepRecord, type PlanUndoAnswer, type PlanUndoStep, UNDO_PERMISSION } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { PlanReceipt, Plans, PlanView } from '../../../core/ports/index.ts';
import { planHistory } from './history.ts';
import { type JudgedStep, judgeSteps, type UndoServices } from './undo-parts.ts';
import { isEndBefore } from './view.ts';
import { viewBefore } from './view-before.ts';
import { chooseUndo } from './which-undo.ts';

export interface PlanUndoServices extends UndoServices {
  readonly plans: Pick<Plans, 'push' | 'history' | 'view'>;
}

/** The undo of a plan, as far as it is decided. */
export interface PlanUndo {
  /** The plan that takes the other one back. */
  readonly undoId: string;
  readonly receipt: PlanReceipt;
  /** How it stood before it was asked for: an end of then is not the one to wait for. */
  readonly before: PlanView | undefined;
  readonly judged: readonly JudgedStep[];
}

/**
 * Takes a plan back, its last step first: a plan of its own, whose steps the kernel signs for one by one, each on the signed result of
 * the task that it takes back. The same steps have the same undo, whoever asks how often; what was done again since has another one
 * (docs/plan-protocol.md 9).
 *
 * @throws WritError NOT_FOUND, also when the plan's journal lies on another host; WRONG_STATE for a plan that has not ended, and for one of
 *   which nothing can be taken back; the kernel's refusals; INVALID_RESULT, REDIS_FULL, REDIS_UNAVAILABLE, STORAGE_UNAVAILABLE
 */
export async function undoPlan(id: string, services: PlanUndoServices): Promise<PlanUndo> {
  const chosen = await chooseUndo(id, async () => judgeSteps(await endedSteps(id, services.plans), services), services);
  if (chosen.undoId === undefined) throw nothingToUndo(id, chosen.judged);
  const { undoId, envelope, judged } = chosen;
  const { lease } = await (await services.kernel()).issuePlan(envelope, { capabilities: [UNDO_PERMISSION] });
  const before = await viewBefore(undoId, services.plans);
  const receipt = await services.plans.push({ envelope, lease });
  return { undoId, receipt, before, judged };
}

/** How far the undo is: what each of its steps has come to. */
export async function planUndoAnswer(
  id: string,
  { undoId, receipt, before, judged }: PlanUndo,
  plans: PlanUndoServices['plans'],
  location: string,
): Promise<PlanUndoAnswer> {
  const view = await plans.view(undoId);
  const state = view === undefined || isEndBefore(view, before) ? 'waiting' : view.state;
  const results = new Map((await allSteps(undoId, plans)).steps.filter(({ voided }) => !voided).map((step) => [step.path, step]));
  let at = 0;
  const steps = judged.map(({ shown, planned }): PlanUndoStep => {
    if (planned === undefined) return shown;
    const done = results.get(String(at));
    at += 1;
    if (done === undefined) return shown;
    return { ...shown, result: done.state === 'success' ? 'undone' : 'failed', ...(done.error_code === undefined ? {} : { error_code: done.error_code }) };
  });
  const whole = steps.every(({ undo }) => undo === 'planned' || undo === 'nothing');
  return { plan_id: undoId, undo_of: id, receipt: receipt.kind === 'in-flight' ? 'in_flight' : receipt.kind, state, whole, steps, location };
}

const PAGE = 500;

async function allSteps(id: string, plans: PlanUndoServices['plans']): Promise<{ readonly state: string; readonly steps: readonly PlanStepRecord[] }> {
  const steps: PlanStepRecord[] = [];
  let page = await planHistory(id, { limit: PAGE }, plans);
  for (;;) {
    steps.push(...page.steps);
    if (page.next === undefined) return { state: page.state, steps };
    page = await planHistory(id, { limit: PAGE, cursor: page.next }, plans);
  }
}

async function endedSteps(id: string, plans: PlanUndoServices['plans']): Promise<readonly PlanStepRecord[]> {
  const known = await plans.history(id, { limit: 1 });
  if (known === undefined && (await plans.view(id)) !== undefined)
    throw new WritError('NOT_FOUND', `the steps of plan ${id} are not known here: its plan journal lies on another host, or it has not begun`);
  const { state, steps } = await allSteps(id, plans);
  if (state !== 'success' && state !== 'failure') throw new WritError('WRONG_STATE', `plan ${id} has not ended: cancel it, then take it back`);
  return steps;
}

function nothingToUndo(id: string, judged: readonly JudgedStep[]): WritError {
  const stop = judged.find(({ shown }) => shown.undo === 'impossible')?.shown;
  if (stop === undefined) return new WritError('WRONG_STATE', `plan ${id} has done nothing that stands`);
  return new WritError(
    'WRONG_STATE',
    `plan ${id} cannot be taken back: its last effect is step ${stop.path} (${stop.task_id}), and ${stop.why ?? 'it has no undo'}`,
  );
}
