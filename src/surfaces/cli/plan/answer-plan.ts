import { type ApprovalAnswer, type ApprovalView, ROLES, TaskId } from '../../../contracts/index.ts';
import { parseStrictJson } from '../../../core/canonical-json.ts';
import { WritError } from '../../../core/errors.ts';
import { answerApproval, openApproval, shownApprovals } from '../../shared/plans/approvals.ts';
import { planIdOf } from '../../shared/plans/plan-id.ts';
import type { CommandContext } from '../command.ts';
import { table } from '../text/table.ts';
import { printable } from '../text/values.ts';

export interface AnswerFlags {
  readonly step?: string;
  readonly note?: string;
  readonly data?: string;
}

/** `writ plan approve|deny`: without --step, the question for which the plan waits now, which is shown. */
export async function runPlanAnswer(context: CommandContext, answer: ApprovalAnswer, { step, note, data }: AnswerFlags, word: string): Promise<number> {
  const planSha256 = planIdOf(word);
  const said = { ...(note === undefined ? {} : { note }), ...(data === undefined ? {} : { data: jsonOf(data) }) };
  const named = step === undefined ? undefined : TaskId.safeParse(step).data;
  if (step !== undefined && named === undefined) throw new WritError('INVALID_ARGUMENT', '--step takes the task_id of a step', { field: 'step' });
  const services = await context.services();
  const [plans, audit, { approvals }] = [await services.plans(), await services.audit(), await services.kernel()];
  const taskId = named ?? (await openApproval(planSha256, approvals)).step;
  // Whoever reaches the kernel's socket is the account that runs this installation.
  const approver = { surface: 'cli', who: services.who, roles: ROLES } as const;
  const view = await answerApproval({ planSha256, taskId, answer, ...said }, approver, { approvals, plans, audit });
  await context.output.answer(view, () => `${view.state} by ${printable(view.decided_by ?? 'somebody')}: ${printable(view.question)}`);
  return 0;
}

/** `writ plan approvals`: who is waited for, and until when; of one plan, all that it has asked. */
export async function runPlanApprovals(context: CommandContext, word: string | undefined): Promise<number> {
  const services = await context.services();
  const { approvals } = await services.kernel();
  // Opened when a plan is looked at: without Redis the kernel's word is shown.
  const plans = { view: async (id: string) => (await services.plans()).view(id) };
  const rows = await shownApprovals(word === undefined ? undefined : planIdOf(word), { approvals, plans });
  await context.output.answer({ approvals: rows }, () => (rows.length === 0 ? 'no plan waits for anybody' : table(COLUMNS, rows.map(rowOf))));
  return 0;
}

const COLUMNS = [{ title: 'plan' }, { title: 'state' }, { title: 'role' }, { title: 'until' }, { title: 'question' }] as const;

function rowOf({ plan_id, state, role, until, question, decided_by }: ApprovalView): readonly string[] {
  // Whole: it is what approve, deny and retry take.
  return [plan_id, decided_by === undefined ? state : `${state} by ${printable(decided_by)}`, role, until, printable(question)];
}

const MAX_DATA_BYTES = 64 * 1024;

function jsonOf(text: string): unknown {
  const data = parseStrictJson(text, { maxBytes: MAX_DATA_BYTES });
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data;
  throw new WritError('INVALID_ARGUMENT', '--data takes a JSON object', { field: 'data' });
}
