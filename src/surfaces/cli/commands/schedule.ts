import { type ScheduleAction, ScheduleRequest, type ScheduleView } from '../../../contracts/index.ts';
import { problemsOf, refusalOf } from '../../../core/shape-problems.ts';
import { actOnSchedule, addSchedule, type ScheduleServices } from '../../shared/schedules.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { table } from '../text/table.ts';
import { parseLeaseTerms } from '../text/values.ts';

export const register: Registrar = (program, deps, exit) => {
  const schedule = program.command('schedule').helpCommand(false).description('make tasks or plans at the times of a cron expression');
  schedule
    .command('add <file>')
    .description('register a schedule of a manifest, whose task_id is its id, or of a plan, which is linked now ("-" reads standard input)')
    .requiredOption('--cron <fields>', 'minute, hour, day of the month, month, day of the week: "0 2 * * *"')
    .option('--tz <zone>', 'time zone, e.g. Europe/Berlin (default UTC)')
    .option('--missed <policy>', 'times at which no kernel ran: latest (default), all (needs --overlap allow), skip')
    .option('--overlap <policy>', 'while an earlier firing has not ended: skip (default), allow')
    .option('--gap <policy>', 'a time that clocks set forward leave out: after (default), skip')
    .option('--fold <policy>', 'a time that clocks set back show twice: first (default), both')
    .option('--id <id>', "of a schedule of plans (default: the envelope's header.id)")
    .option('--ttl <time>', 'life of each lease, e.g. 15m, 24h')
    .option('--attempts <n>', 'tries of each task in all (a plan declares its own)', Number)
    .option('--priority <n>', 'priority of each task or plan', Number)
    .action(command<[string], AddFlags>(deps, exit, runAdd));
  schedule
    .command('list')
    .description('every schedule and when it fires next')
    .action(command<[], Record<never, never>>(deps, exit, runList));
  schedule
    .command('show <id>')
    .description('one schedule with its last firings')
    .action(command<[string], Record<never, never>>(deps, exit, runShow));
  for (const [action, words] of Object.entries(ACTIONS)) {
    schedule
      .command(`${action} <id>`)
      .description(words)
      .action(command<[string], Record<never, never>>(deps, exit, (context, _flags, id) => runAct(context, id, action)));
  }
};

const ACTIONS: Readonly<Record<string, string>> = {
  pause: 'it makes nothing until `schedule resume`, and does not make up for them',
  resume: 'it makes tasks or plans again, from now on',
  remove: 'it makes nothing any more; those on the queue go on',
} satisfies Record<ScheduleAction, string>;

interface AddFlags extends Omit<ScheduleRequest, 'manifest' | 'envelope' | 'ttl'> {
  readonly ttl?: string;
}

async function servicesOf(context: CommandContext): Promise<ScheduleServices & { readonly operator: { readonly surface: 'cli'; readonly who: string } }> {
  const services = await context.services();
  const { schedules } = await services.kernel();
  return { schedules, audit: await services.audit(), operator: { surface: 'cli', who: services.who } };
}

/** `writ schedule add`. Prints when it fires first. */
async function runAdd(context: CommandContext, { ttl, ...flags }: AddFlags, file: string): Promise<number> {
  const { readScheduled } = await import('../plan/read-scheduled.ts');
  const given = { ...flags, ...(await readScheduled(context, file)), ...(ttl === undefined ? {} : { ttl: parseLeaseTerms({ ttl }).ttlS }) };
  const request = ScheduleRequest.safeParse(given);
  if (!request.success) throw refusalOf('INVALID_ARGUMENT', problemsOf(request.error, ScheduleRequest, given), 'schedule');
  const { operator, ...services } = await servicesOf(context);
  const linker = async () => (await context.services()).planPreview();
  const view = await addSchedule(request.data, operator, { ...services, linker });
  await context.output.answer(view, () => `${view.id} fires next at ${view.next ?? 'no time'}`);
  return 0;
}

/** `writ schedule list`. */
async function runList(context: CommandContext): Promise<number> {
  const schedules = await (await servicesOf(context)).schedules.list();
  await context.output.answer({ schedules }, () =>
    table(
      columns('schedule', 'state', 'cron', 'time zone', 'next'),
      schedules.map(({ id, state, cron, tz, next }) => [id, state, cron, tz, next ?? '-']),
    ),
  );
  return 0;
}

/** `writ schedule show`. NOT_FOUND (exit 1) where there is none. */
async function runShow(context: CommandContext, _flags: Record<never, never>, id: string): Promise<number> {
  const view = await (await servicesOf(context)).schedules.show(id);
  await context.output.answer(view, () => shown(view));
  return 0;
}

/** `writ schedule pause|resume|remove`. */
async function runAct(context: CommandContext, id: string, word: string): Promise<number> {
  const action: ScheduleAction = word === 'pause' || word === 'resume' ? word : 'remove';
  const { operator, ...services } = await servicesOf(context);
  const view = await actOnSchedule(id, action, operator, services);
  await context.output.answer(view, () =>
    action === 'remove' ? `${id} is removed` : `${id} is ${view.state}${view.next === undefined ? '' : `, next at ${view.next}`}`,
  );
  return 0;
}

function columns(...titles: readonly string[]): readonly { readonly title: string }[] {
  return titles.map((title) => ({ title }));
}

function shown({ id, state, plan_sha256, cron, tz, missed, overlap, gap, fold, next, firings = [] }: ScheduleView): string {
  const of = plan_sha256 === undefined ? '' : ` of the plan ${plan_sha256}`;
  const head = `${id}${of}: ${state}, "${cron}" in ${tz}, next ${next ?? '-'} (missed ${missed}, overlap ${overlap}, gap ${gap}, fold ${fold})`;
  if (firings.length === 0) return head;
  const rows = firings.map(({ planned, state: at, detail, task_id, plan_id }) => [planned, at, detail ?? '', task_id ?? plan_id ?? '']);
  return `${head}\n${table(columns('planned', 'state', 'detail', plan_sha256 === undefined ? 'task' : 'plan'), rows)}`;
}
