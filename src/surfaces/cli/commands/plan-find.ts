import type { PlanFilter, PlanHistory, PlanRecord, PlanStepRecord } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import type { Plans } from '../../../core/ports/index.ts';
import { duration } from '../../../core/units.ts';
import type { BulkAct, BulkFlags } from '../bulk/act-on-many.ts';
import { type FilterFlags, filterWords, planFilterOf, withFilters } from '../bulk/filters.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { planOperatorServices } from '../operator.ts';
import { errorOfRetry, type RegrantFlags, regrantTerms, regrantWords, withRegrant } from '../regrant.ts';
import { pairs, table } from '../text/table.ts';
import { parseWhole, printable } from '../text/values.ts';

const EXAMPLES = `
Examples:
  writ plans list --state failure --since 24h
  writ plans show <plan_id>             its steps with their times
  writ plans retry --code TOOL_FAILED`;

export const register: Registrar = (program, deps, exit) => {
  const plans = program.command('plans').helpCommand(false).description('find plans, and act on many').addHelpText('after', EXAMPLES);
  withFilters(plans.command('list').description('plans that wait, then those that have begun, newest change first'), 'plans')
    .option('--limit <n>', 'at most so many', '50')
    .action(command<[], ListFlags>(deps, exit, runList));
  plans
    .command('show <plan_id>')
    .description('how far a plan is, and what each of its steps took')
    .addHelpText('after', '\nExits 0 for success, 1 for failure or an unknown id, 3 while it has not ended.')
    .action(command<[string], Record<never, never>>(deps, exit, runShow));
  plans
    .command('follow <plan_id>')
    .description('show the steps of a plan until it has ended')
    .option('--timeout <time>', 'give up after so long without news', '24h')
    .action(command<[string], { timeout: string }>(deps, exit, runFollow));
  withRegrant(withFilters(plans.command('retry [plan_id...]').description('run failed plans on: those that are named, or all that the filter finds'), 'plans'))
    .option('--yes', 'do not ask')
    .action(command<[string[]], ActFlags>(deps, exit, runRetry));
  withFilters(
    plans.command('cancel [plan_id...]').description('end plans before their next step: those that are named, or all open ones that the filter finds'),
    'plans',
  )
    .option('--yes', 'do not ask')
    .action(command<[string[]], ActFlags>(deps, exit, runCancel));
};

interface ListFlags extends FilterFlags {
  readonly limit: string;
}
interface ActFlags extends FilterFlags, BulkFlags, RegrantFlags {}

const MAX_LISTED = 1_000_000;
const PAGE = 500;

/** `writ plans list`: with --json a plan a line. */
async function runList(context: CommandContext, flags: ListFlags): Promise<number> {
  const filter = planFilterOf(flags, context.clock.now());
  const limit = parseWhole(flags.limit, '--limit', { min: 1, max: MAX_LISTED });
  const plans = await (await context.services()).plans();
  const shown: PlanRecord[] = [];
  let left = limit;
  let cursor: string | undefined;
  do {
    const page = await plans.list(filter, { limit: Math.min(PAGE, left), ...(cursor === undefined ? {} : { cursor }) });
    left -= page.plans.length;
    cursor = page.next;
    if (context.output.json) for (const plan of page.plans) await context.output.line(plan);
    else shown.push(...page.plans);
  } while (cursor !== undefined && left > 0);
  if (context.output.json) return 0;
  await context.output.text(shown.length === 0 ? 'no plan fits' : table(COLUMNS, shown.map(rowOf(context.clock.now()))));
  if (cursor !== undefined) context.output.note(`more may fit: --limit shows more than ${limit}`);
  return 0;
}

const COLUMNS = [{ title: 'plan' }, { title: 'state' }, { title: 'changed', align: 'right' }, { title: 'steps', align: 'right' }, { title: 'about' }] as const;
const WIDEST = 60;

const rowOf =
  (now: number) =>
  ({ plan_id, state, updated_at, steps_done, current, error, cancel_requested, not_before }: PlanRecord): string[] => {
    const when = not_before === undefined ? '' : `not before ${not_before}`;
    const about = error === undefined ? (current === undefined ? when : `at ${current}`) : `${error.code}: ${error.message}`;
    const text = [...printable(`${about}${cancel_requested ? ', a cancel is asked' : ''}`)].slice(0, WIDEST).join('');
    return [plan_id, state, duration(now - Date.parse(updated_at)), String(steps_done), text];
  };

/** Steps that are shown. */
const MAX_STEPS = 10_000;

/** `writ plans show`. */
async function runShow(context: CommandContext, _flags: Record<never, never>, word: string): Promise<number> {
  const { planIdOf } = await import('../../shared/plans/plan-id.ts');
  const { planHistory } = await import('../../shared/plans/history.ts');
  const id = planIdOf(word);
  const plans = await (await context.services()).plans();
  const first = await planHistory(id, { limit: PAGE }, plans);
  const steps = [...first.steps];
  for (let next = first.next; next !== undefined && steps.length < MAX_STEPS; ) {
    const page: PlanHistory = await planHistory(id, { limit: PAGE, cursor: next }, plans);
    steps.push(...page.steps);
    next = page.next;
  }
  const { next: _next, ...head } = first;
  await context.output.answer({ ...head, steps }, () => historyText(head, steps, context.clock.now()));
  return first.state === 'success' ? 0 : first.state === 'failure' ? 1 : 3;
}

const STEP_COLUMNS = [{ title: 'step' }, { title: 'capability' }, { title: 'state' }, { title: 'took', align: 'right' }, { title: 'task' }] as const;

function historyText({ plan_id, state, retries, updated_at }: Omit<PlanHistory, 'steps' | 'next'>, steps: readonly PlanStepRecord[], now: number): string {
  const head = pairs([
    ['plan', plan_id],
    ['state', state],
    ['retries', String(retries)],
    ['changed', `${duration(now - Date.parse(updated_at))} ago`],
  ]);
  if (steps.length === 0) return `${head}\nno step has ended`;
  const rows = steps.map(({ path, capability_id, state: how, error_code, voided, since, ended_at, task_id }) => [
    path,
    capability_id ?? '-',
    `${error_code ?? how}${voided ? ' (voided by a retry)' : ''}`,
    since === undefined || ended_at === undefined ? '-' : duration(Date.parse(ended_at) - Date.parse(since)),
    task_id,
  ]);
  return `${head}\n\n${table(STEP_COLUMNS, rows)}`;
}

/** `writ plans follow`: as `plan run --wait` shows it. */
async function runFollow(context: CommandContext, { timeout }: { timeout: string }, word: string): Promise<number> {
  const { planIdOf } = await import('../../shared/plans/plan-id.ts');
  const { followPlan } = await import('../plan/follow-plan.ts');
  const plans = await (await context.services()).plans();
  return followPlan(context, planIdOf(word), plans, { wait: true, timeout }, undefined);
}

/** `writ plans retry`. */
async function runRetry(context: CommandContext, flags: ActFlags, names: readonly string[]): Promise<number> {
  const { retryPlans } = await import('../../shared/plans/retry.ts');
  const filter = planFilterOf(flags, context.clock.now());
  if (filter.state !== undefined && filter.state !== 'failure') throw new WritError('INVALID_ARGUMENT', 'only failed plans run on', { field: '--state' });
  const [terms, services] = [regrantTerms(flags), await planOperatorServices(context)];
  return act(context, flags, names, filter, ['failure'], 'retry', async (ids) => (await retryPlans(ids, terms, services)).map(errorOfRetry));
}

const OPEN = ['waiting', 'running'] as const;

/** `writ plans cancel`. */
async function runCancel(context: CommandContext, flags: ActFlags, names: readonly string[]): Promise<number> {
  const { cancelPlan } = await import('../../shared/plans/operate.ts');
  const filter = planFilterOf(flags, context.clock.now());
  const open = OPEN.filter((state) => filter.state === undefined || filter.state === state);
  if (open.length === 0) throw new WritError('INVALID_ARGUMENT', 'only plans that wait or run are cancelled', { field: '--state' });
  const { each } = await import('../bulk/act-on-many.ts');
  const plans = await (await context.services()).plans();
  const cancel = each((id) => cancelPlan(id, plans));
  return act(context, flags, names, filter, open, 'cancel', cancel);
}

async function act(
  context: CommandContext,
  flags: ActFlags,
  names: readonly string[],
  filter: PlanFilter,
  states: readonly NonNullable<PlanFilter['state']>[],
  verb: 'retry' | 'cancel',
  together: BulkAct['act'],
): Promise<number> {
  const { actOnMany } = await import('../bulk/act-on-many.ts');
  const { planIdOf } = await import('../../shared/plans/plan-id.ts');
  if (names.length > 0 && Object.keys(filter).length > 0) throw new WritError('INVALID_ARGUMENT', 'name plans, or give a filter; not both');
  const ids = names.map(planIdOf);
  const now = new Date(context.clock.now()).toISOString();
  const bounded: PlanFilter = { ...filter, until: filter.until !== undefined && Date.parse(filter.until) < Date.parse(now) ? filter.until : now };
  const plans = await (await context.services()).plans();
  return actOnMany(context, flags, {
    noun: 'plan',
    verb,
    action: `plan.${verb}_all`,
    subject: ids.length > 0 ? `${ids.length} named plans` : JSON.stringify(bounded),
    named: ids.length > 0,
    async *pages() {
      if (ids.length > 0) yield ids;
      else for (const state of states) yield* pagesOf({ ...bounded, state }, plans);
    },
    act: together,
    again: `writ plans ${verb} ${ids.length > 0 ? ids.join(' ') : filterWords(bounded)}${regrantWords(flags)} --yes`,
  });
}

async function* pagesOf(filter: PlanFilter, plans: Pick<Plans, 'list'>): AsyncGenerator<readonly string[]> {
  let cursor: string | undefined;
  do {
    const page = await plans.list(filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    yield page.plans.map(({ plan_id }) => plan_id);
    cursor = page.next;
  } while (cursor !== undefined);
}
