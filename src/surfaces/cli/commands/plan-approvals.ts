import { ApprovalAnswer } from '../../../contracts/index.ts';
import { command, type Registrar } from '../command.ts';
import type { AnswerFlags } from '../plan/answer-plan.ts';

const WORDS = {
  approve: 'say yes to the step for which a plan waits: it goes on',
  deny: "say no: the step fails with APPROVAL_DENIED, and the plan's on_error applies",
} satisfies Record<ApprovalAnswer, string>;

/** `writ plan approve|deny|approvals` (docs/plan-protocol.md 10), below `plan`. */
export const registerApprovals: Registrar = (plan, deps, exit) => {
  for (const answer of ApprovalAnswer.options) {
    const one = plan
      .command(`${answer} <plan_id>`)
      .description(WORDS[answer])
      .option('--step <task_id>', 'this question and no other; without it, the one for which the plan waits now')
      .option('--note <text>', 'why; stands in the result of the step');
    if (answer === 'approve') one.option('--data <json>', 'an object for the plan, which it finds at $.data.data');
    one.action(
      command<[string], AnswerFlags>(deps, exit, async (context, flags, word) =>
        (await import('../plan/answer-plan.ts')).runPlanAnswer(context, answer, flags, word),
      ),
    );
  }
  plan
    .command('approvals [plan_id]')
    .description('steps that wait for somebody, the nearest deadline first; of one plan, all that it has asked')
    .action(
      command<[string | undefined], Record<never, never>>(deps, exit, async (context, _flags, word) =>
        (await import('../plan/answer-plan.ts')).runPlanApprovals(context, word),
      ),
    );
};
