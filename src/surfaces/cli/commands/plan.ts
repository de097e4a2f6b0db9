import { WritError } from '../../../core/errors.ts';
import type { PlannedEffect, PlannedStep, PlanReceipt, PlanView } from '../../../core/ports/index.ts';
import { counted, duration } from '../../../core/units.ts';
import { workflowName } from '../../../core/workflow-name.ts';
import { endErrorText } from '../../shared/plans/end-error.ts';
import { planIdOf, unknownPlan } from '../../shared/plans/plan-id.ts';
import { endOf, hasEnded, planStatusOf } from '../../shared/plans/view.ts';
import { viewBefore } from '../../shared/plans/view-before.ts';
import { waitText } from '../../shared/plans/wait-text.ts';
import { leaseTermsOf } from '../../shared/tasks/lease-terms.ts';
import type { KeyFlags } from '../api/api-door.ts';
import { auditedCommand, type CommandContext, command, type Registrar } from '../command.ts';
import { planOperatorServices } from '../operator.ts';
import { pausedFor } from '../paused-watch.ts';
import { countEffects, type EffectCounts, effectText, maxStepsWarning } from '../plan/effect-text.ts';
import type { FollowFlags } from '../plan/follow-plan.ts';
import { type RegrantFlags, regrantTerms, withRegrant } from '../regrant.ts';
import { pairs, table } from '../text/table.ts';
import { parseLife, parseSeconds, parseWhen, printable } from '../text/values.ts';
import { registerApprovals } from './plan-approvals.ts';

const EXAMPLES = `
A plan is one envelope (docs/plans.md); its id is the hash of the linked one, so that the same envelope is the same plan.

Examples:
  writ plan check archive.json           what it would do, step by step; runs nothing
  writ plan run archive.json --wait      runs it, and shows each step
  writ plan run archive.json             again: the same plan; runs on where it failed
  writ plan run archive.json --not-before 2026-12-01T02:00:00Z`;

const ID = 'hash of the linked envelope, as "plan check" and "plan run" print it';

export const register: Registrar = (program, deps, exit) => {
  const plan = program.command('plan').helpCommand(false).description('check, run and follow plans').addHelpText('after', EXAMPLES);
  plan
    .command('check <file>')
    .description('link an envelope and show the tree of its steps with their effects; runs nothing ("-" reads standard input)')
    .option('--linked', 'print the linked envelope instead: the bytes that a lease is over')
    .addHelpText('after', '\nExits 0 when every step has a tool here, 1 when one has none or will fail as it is written, 2 when it is no plan.')
    .action(command<[string], PlanCheckFlags>(deps, exit, runPlanCheck));
  plan
    .command('run <file>')
    .description('link an envelope, have the kernel sign its lease, and push it ("-" reads standard input)')
    .option('--ttl <time>', 'life of the lease, e.g. 15m, 24h, 30d')
    .option('--not-before <time>', 'it does not begin before: RFC 3339, or from now on, e.g. 15m, 24h, 30d; the lease counts from then')
    .option('--priority <number>', '0, as without: before every other; then 1 before 2')
    .option('--wait', 'follow the steps and wait for the end')
    .option('--timeout <time>', 'with --wait: give up after so long without news', '300s')
    .option('--webhook <endpoint>', 'push through the API, and have this endpoint of the settings told of the end (docs/webhooks.md)')
    .option('--key <file>', "with --webhook: API key to push with; the operator's of the first start unless given")
    .action(command<[string], PlanRunFlags>(deps, exit, runPlanRun));
  plan
    .command('show <plan_id>')
    .description('how far a plan is, and how it ended')
    .option('--memory', 'with the results of its steps and its memory')
    .option('--verify', "check the executor's signature with the public keys of this data directory")
    .addHelpText('after', `\n<plan_id>: ${ID}.\nExits 0 for success, 1 for failure or an unknown id, 3 while it has not ended.`)
    .action(command<[string], PlanShowFlags>(deps, exit, runPlanShow));
  plan
    .command('cancel <plan_id>')
    .description('end a plan before its next step; a step that has begun is finished')
    .action(command<[string], Record<never, never>>(deps, exit, runPlanCancel));
  withRegrant(plan.command('retry <plan_id>').description('run a failed plan on from the step that ended it; an expired lease is renewed by the kernel'))
    .option('--wait', 'follow the steps and wait for the end')
    .option('--timeout <time>', 'with --wait: give up after so long without news', '300s')
    .action(command<[string], FollowFlags & RegrantFlags>(deps, exit, runPlanRetry));
  plan
    .command('undo <plan_id>')
    .description('take back what a plan did, its last step first, as a plan of its own; asked again: how far that is')
    .option('--wait', 'follow the steps and wait for the end')
    .option('--timeout <time>', 'with --wait: give up after so long without news', '300s')
    .addHelpText('after', '\nStops at a step that cannot be taken back, and says which. Exits 1 then, and when a step was not taken back.')
    .action(
      command<[string], FollowFlags>(deps, exit, async (context, flags, word) => (await import('../plan/undo-plan.ts')).runPlanUndo(context, flags, word)),
    );
  registerApprovals(plan, deps, exit);
};

interface PlanCheckFlags {
  readonly linked?: boolean;
}

/** `writ plan check`: what a plan would do. Exit 1: a step can reach a tool that is not bound on this host, or calls one as its definition does not allow. */
async function runPlanCheck(context: CommandContext, flags: PlanCheckFlags, file: string): Promise<number> {
  const { readPlan } = await import('../plan/read-plan.ts');
  const { envelope, planSha256, preview } = await readPlan(context, file);
  const steps = preview.outline(envelope);
  const counts = countEffects(steps);
  const exit = counts.unbound + counts.wrong > 0 ? 1 : 0;
  if (flags.linked === true) {
    await context.output.answer(envelope, () => JSON.stringify(envelope));
    return exit;
  }
  const warning = maxStepsWarning(envelope, counts.tools);
  const value = { plan_id: planSha256, steps: steps.map(stepLine), ...counts, ...(warning === undefined ? {} : { warnings: [warning] }) };
  await context.output.answer(value, () => [`plan ${planSha256}`, tree(steps), countsText(counts), ...(warning === undefined ? [] : [warning])].join('\n'));
  return exit;
}

const COLUMNS = [{ title: 'step' }, { title: 'does' }, { title: 'policies' }] as const;

function tree(steps: readonly PlannedStep[]): string {
  const rows = steps.map(({ depth, type, ref, operation, policies, effect }) => [
    `${'  '.repeat(depth)}${type} ${ref}${operation === undefined ? '' : ` ${operation}`}`,
    effect === undefined ? '' : effectText(effect),
    policies.join(', '),
  ]);
  return table(COLUMNS, rows);
}

function countsText({ tools, once, irreversible, unbound, wrong }: EffectCounts): string {
  const effects = once === 0 ? 'without an effect' : `${once} with an effect, ${irreversible} of which cannot be taken back`;
  const missing = unbound === 0 ? '' : `; ${unbound} cannot run here`;
  const failing = wrong === 0 ? '' : `; ${wrong} will fail as written`;
  return `${counted(tools, 'tool step')}: ${effects}${missing}${failing}. Nothing was run.`;
}

function stepLine({ path, depth, type, ref, operation, policies, effect }: PlannedStep): Record<string, unknown> {
  return {
    path,
    depth,
    type,
    ref,
    workflow: workflowName(type, ref),
    ...(operation === undefined ? {} : { operation }),
    policies,
    ...(effect === undefined ? {} : { effect: effectLine(effect) }),
  };
}

function effectLine(effect: PlannedEffect): Record<string, unknown> {
  return effect.kind === 'unbound' ? { ...effect, code: 'TOOL_UNAVAILABLE' } : { ...effect };
}

interface PlanRunFlags extends FollowFlags, KeyFlags {
  readonly ttl?: string;
  readonly notBefore?: string;
  readonly priority?: string;
  readonly webhook?: string;
}

/** `writ plan run`: links, has the kernel sign the lease, pushes; with --wait, follows the steps to the end. */
async function runPlanRun(context: CommandContext, flags: PlanRunFlags, file: string): Promise<number> {
  if (flags.key !== undefined && flags.webhook === undefined) throw new WritError('INVALID_ARGUMENT', 'is for --webhook', { field: '--key' });
  const push = parseWhen(flags, context.clock.now());
  const terms = { ...(flags.ttl === undefined ? {} : { ttlS: parseLife(flags.ttl, '--ttl') }), ...leaseTermsOf(push) };
  const quietMs = parseSeconds(flags.timeout, '--timeout') * 1000;
  if (flags.wait === true && (push.notBefore ?? 0) - context.clock.now() >= quietMs)
    throw new WritError('INVALID_ARGUMENT', `--wait gives up after ${flags.timeout}, before the plan begins`, { field: '--timeout' });
  const { answerEnd, followPlan } = await import('../plan/follow-plan.ts');
  const { readPlan } = await import('../plan/read-plan.ts');
  const { envelope, planSha256 } = await readPlan(context, file);
  const services = await context.services();
  const [plans, kernel] = [await services.plans(), await services.kernel()];
  const { lease } = await kernel.issuePlan(envelope, terms);
  const before = await viewBefore(planSha256, plans);
  const receipt =
    flags.webhook === undefined
      ? await plans.push({ envelope, lease }, push)
      : await (await import('../plan/push-through-api.ts')).pushThroughApi(context, flags, { envelope, lease }, push);
  if (flags.wait === true) {
    await context.output.line(receiptLine(planSha256, receipt));
    if (!context.output.json) context.output.note(receiptText(planSha256, receipt));
    const view = receipt.kind === 'finished' ? await plans.view(planSha256) : undefined;
    return view?.state === 'success' ? answerEnd(context, view) : followPlan(context, planSha256, plans, flags, before);
  }
  await context.output.answer(receiptLine(planSha256, receipt), () => receiptText(planSha256, receipt));
  return 0;
}

const WORDS = {
  accepted: 'is queued',
  'in-flight': 'waits or runs already',
  retried: 'runs on from where it failed',
  finished: 'has succeeded before; nothing is done again',
} satisfies Record<PlanReceipt['kind'], string>;

function receiptText(id: string, { kind }: PlanReceipt): string {
  return `plan ${id} ${WORDS[kind]}`;
}

function receiptLine(id: string, receipt: PlanReceipt): Record<string, unknown> {
  return { plan_id: id, receipt: receipt.kind, ...('jobId' in receipt ? { queue: receipt.queue, job_id: receipt.jobId } : {}) };
}

interface PlanShowFlags {
  readonly memory?: boolean;
  readonly verify?: boolean;
}

/** `writ plan show`: where a plan is, or how it ended. */
async function runPlanShow(context: CommandContext, flags: PlanShowFlags, word: string): Promise<number> {
  const id = planIdOf(word);
  const services = await context.services();
  const view = await (await services.plans()).view(id);
  if (view === undefined) throw unknownPlan(id);
  const verified = flags.verify === true && view.result !== undefined ? await (await services.planSignatures()).verifyEnd(view.result, id) : undefined;
  const paused = hasEnded(view) ? undefined : await pausedFor(context, view);
  const value = {
    ...planStatusOf(view, flags.memory === true),
    ...(paused === undefined ? {} : { paused_queue: paused }),
    ...(verified === undefined ? {} : { verified }),
  };
  await context.output.answer(value, () => planText(view, flags, paused, verified, context.clock.now()));
  if (verified === false)
    throw new WritError('INVALID_RESULT', `the end of plan ${id} was not signed by an executor key of this data directory: do not trust it`);
  if (!hasEnded(view)) return 3;
  return view.state === 'success' ? 0 : 1;
}

function planText(view: PlanView, { memory }: PlanShowFlags, paused: string | undefined, verified: boolean | undefined, now: number): string {
  const { id, state, stepsDone, current, cancelRequested, updated, notBefore } = view;
  const rows: [string, string][] = [
    ['plan', id],
    ['state', state],
    ['steps done', String(stepsDone)],
  ];
  if (notBefore !== undefined) rows.push(['not before', new Date(notBefore).toISOString()]);
  if (current !== undefined && !hasEnded(view)) {
    rows.push(['current step', `${current.tool} ${current.operation} at ${current.path}`]);
    if (current.waits !== undefined) rows.push(['waits for', waitText(current.waits)]);
    if (current.taskId !== undefined) rows.push(['its task', current.taskId]);
  }
  if (paused !== undefined) rows.push(['paused queue', `${paused}; \`writ queue resume ${paused}\` lets it go on`]);
  if (cancelRequested) rows.push(['cancel', 'asked']);
  const error = endErrorText(view);
  if (error !== undefined) rows.push(['error', error]);
  rows.push(['changed', `${duration(now - updated)} ago`]);
  if (verified !== undefined) rows.push(['signature', verified ? 'verified' : 'DOES NOT VERIFY']);
  const shown = memory === true && view.result !== undefined ? `\n${documentText(endOf(view.result).envelope)}` : '';
  return `${pairs(rows)}${shown}`;
}

function documentText(document: object): string {
  return JSON.stringify(document, null, 2).split('\n').map(printable).join('\n');
}

/** `writ plan cancel`: the plan ends before its next step. */
async function runPlanCancel(context: CommandContext, _flags: Record<never, never>, word: string): Promise<number> {
  const id = planIdOf(word);
  const plans = await (await context.services()).plans();
  const { cancelPlan } = await import('../../shared/plans/operate.ts');
  await auditedCommand(context, { action: 'plan.cancel', subject: id }, () => cancelPlan(id, plans));
  await context.output.answer({ plan_id: id, cancel: 'requested' }, () => `a cancel of plan ${id} is requested: it ends before its next step`);
  return 0;
}

/** `writ plan retry`: the failed plan runs on; what its steps have done stands. */
async function runPlanRetry(context: CommandContext, flags: FollowFlags & RegrantFlags, word: string): Promise<number> {
  const id = planIdOf(word);
  parseSeconds(flags.timeout, '--timeout');
  const services = await planOperatorServices(context);
  const before = await viewBefore(id, services.plans);
  const { retryPlan } = await import('../../shared/plans/retry.ts');
  const { retryDetail } = await import('../../shared/tasks/retry.ts');
  const { followPlan } = await import('../plan/follow-plan.ts');
  const terms = regrantTerms(flags);
  const entry = { action: 'plan.retry', subject: id, detail: terms };
  const { regranted } = await auditedCommand(context, entry, () => retryPlan(id, terms, services), retryDetail);
  if (flags.wait === true) return followPlan(context, id, services.plans, flags, before);
  await context.output.answer({ plan_id: id, retried: true, regranted }, () => `plan ${id} runs on${regranted ? ' under a new lease' : ''}`);
  return 0;
}
