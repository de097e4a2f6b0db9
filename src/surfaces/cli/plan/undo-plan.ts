import type { PlanUndoAnswer, PlanUndoStep } from '../../../contracts/index.ts';
import { planIdOf } from '../../shared/plans/plan-id.ts';
import { planUndoAnswer, undoPlan } from '../../shared/plans/undo.ts';
import { auditedCommand, type CommandContext } from '../command.ts';
import { table } from '../text/table.ts';
import { parseSeconds } from '../text/values.ts';
import { type FollowFlags, followPlan } from './follow-plan.ts';

/** `writ plan undo`: what a plan did is taken back, the last step first. Exit 1: a step cannot be, or was not. */
export async function runPlanUndo(context: CommandContext, flags: FollowFlags, word: string): Promise<number> {
  const id = planIdOf(word);
  parseSeconds(flags.timeout, '--timeout');
  const opened = await context.services();
  const [plans, tasks, preview] = [await opened.plans(), await opened.tasks(), await opened.planPreview()];
  const { kernel, signatures, regrantByDefault } = opened;
  const services = { plans, tasks, preview, kernel, signatures, regrantByDefault, clock: context.clock };
  const undo = await auditedCommand(context, { action: 'plan.undo', subject: id }, () => undoPlan(id, services));
  if (flags.wait === true && undo.receipt.kind !== 'finished') {
    if (!context.output.json) context.output.note(`plan ${undo.undoId} takes ${id} back`);
    await followPlan(context, undo.undoId, plans, flags, undo.before);
  }
  const answer = await planUndoAnswer(id, undo, plans, `/v1/plans/${undo.undoId}`);
  await context.output.answer(answer, () => undoText(answer));
  return answer.whole && answer.state !== 'failure' ? 0 : 1;
}

const COLUMNS = [{ title: 'step' }, { title: 'did' }, { title: 'undo' }] as const;

function undoText({ plan_id, undo_of, steps, whole, state }: PlanUndoAnswer): string {
  const rows = steps.map((step) => [step.path, step.capability_id ?? '', partText(step)]);
  const stops = whole ? '' : ' It stops at the step that cannot be taken back; what was done before that stands.';
  return `plan ${plan_id} takes ${undo_of} back: ${state}\n${table(COLUMNS, rows)}\nThe last step comes first.${stops}`;
}

const WORDS = { planned: 'waits', nothing: 'nothing to take back', impossible: 'cannot be taken back', not_reached: 'stands' } as const;

function partText({ undo, why, result, error_code }: PlanUndoStep): string {
  if (result !== undefined) return error_code === undefined ? result : `${result} (${error_code})`;
  return why === undefined ? WORDS[undo] : `${WORDS[undo]}: ${why}`;
}
