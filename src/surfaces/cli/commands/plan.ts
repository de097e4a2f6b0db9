import { act, type Registrar } from '../command.ts';
import type { PlanCheckFlags } from '../operations/plan-check.ts';
import type { PlanRetryFlags } from '../operations/plan-retry.ts';
import type { PlanRunFlags } from '../operations/plan-run.ts';
import type { PlanShowFlags } from '../operations/plan-show.ts';

const EXAMPLES = `
A plan is one envelope (docs/plans.md); its id is the hash of the linked one, so that the same envelope is the same plan.

Examples:
  writ plan check archive.json           what it would do, step by step; runs nothing
  writ plan run archive.json --wait      runs it, and shows each step
  writ plan run archive.json             again: the same plan; runs on where it failed`;

const ID = 'hash of the linked envelope, as "plan check" and "plan run" print it';

export const registerPlan: Registrar = (program, deps, exit) => {
  const plan = program.command('plan').helpCommand(false).description('check, run and follow plans').addHelpText('after', EXAMPLES);
  plan
    .command('check <file>')
    .description('link an envelope and show the tree of its steps with their effects; runs nothing ("-" reads standard input)')
    .option('--linked', 'print the linked envelope instead: the bytes that a lease is over')
    .addHelpText('after', '\nExits 0 when every step has a tool here, 1 when one has none, 2 when it is no plan.')
    .action(act<[string], PlanCheckFlags>(deps, exit, async () => (await import('../operations/plan-check.ts')).runPlanCheck));
  plan
    .command('run <file>')
    .description('link an envelope, have the kernel sign its lease, and push it ("-" reads standard input)')
    .option('--ttl <time>', 'life of the lease, e.g. 15m, 24h, 30d')
    .option('--wait', 'follow the steps and wait for the end')
    .option('--timeout <time>', 'with --wait: give up after so long without news', '300s')
    .action(act<[string], PlanRunFlags>(deps, exit, async () => (await import('../operations/plan-run.ts')).runPlanRun));
  plan
    .command('show <plan_id>')
    .description('how far a plan is, and how it ended')
    .option('--memory', 'with the results of its steps and its memory')
    .option('--verify', "check the executor's signature with the public keys of this data directory")
    .addHelpText('after', `\n<plan_id>: ${ID}.\nExits 0 for success, 1 for failure or an unknown id, 3 while it has not ended.`)
    .action(act<[string], PlanShowFlags>(deps, exit, async () => (await import('../operations/plan-show.ts')).runPlanShow));
  plan
    .command('cancel <plan_id>')
    .description('end a plan before its next step; a step that has begun is finished')
    .action(act<[string], Record<never, never>>(deps, exit, async () => (await import('../operations/plan-cancel.ts')).runPlanCancel));
  plan
    .command('retry <plan_id>')
    .description('run a failed plan on from the step that ended it; under a new lease: "plan run" with the same file')
    .option('--wait', 'follow the steps and wait for the end')
    .option('--timeout <time>', 'with --wait: give up after so long without news', '300s')
    .action(act<[string], PlanRetryFlags>(deps, exit, async () => (await import('../operations/plan-retry.ts')).runPlanRetry));
};
