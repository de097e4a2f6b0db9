import type { TaskFilter, TaskRecord } from '../../../contracts/index.ts';
import { WritError } from '../../../core/errors.ts';
import { duration } from '../../../core/units.ts';
import type { TaskDetails } from '../../shared/tasks/details.ts';
import { KEY_OPTION, type KeyFlags, openApi } from '../api/api-door.ts';
import type { BulkAct, BulkFlags } from '../bulk/act-on-many.ts';
import { type FilterFlags, filterWords, taskFilterOf, withFilters } from '../bulk/filters.ts';
import { type CommandContext, command, type Registrar } from '../command.ts';
import { operatorServices } from '../operator.ts';
import { errorOfRetry, type RegrantFlags, regrantTerms, regrantWords, withRegrant } from '../regrant.ts';
import { pairs, table } from '../text/table.ts';
import { parseSeconds, parseWhole, printable } from '../text/values.ts';

const EXAMPLES = `
Examples:
  writ tasks list --state failure --since 24h
  writ tasks retry --code EXECUTION_FAILED --path /srv/files/inbox
  writ tasks cancel --state waiting --plan <plan_id> --yes`;

export const register: Registrar = (program, deps, exit) => {
  const tasks = program.command('tasks').helpCommand(false).description('find tasks, and act on many').addHelpText('after', EXAMPLES);
  withFilters(tasks.command('list').description('tasks of the index, newest change first; needs the API'), 'tasks')
    .option('--limit <n>', 'at most so many', '50')
    .option(...KEY_OPTION)
    .action(command<[], ListFlags>(deps, exit, runList));
  tasks
    .command('show <task_id>')
    .description('one task: its verified outcome, attempts, and what the journal knows')
    .addHelpText('after', '\nExits 0 for success, 1 for failure or an unknown id, 3 while there is no outcome.')
    .action(command<[string], Record<never, never>>(deps, exit, runShow));
  tasks
    .command('follow <task_id>')
    .description('say how a task goes on until it has ended')
    .option('--timeout <time>', 'give up after so long', '24h')
    .addHelpText('after', '\nExits as `writ result`.')
    .action(command<[string], { timeout: string }>(deps, exit, runFollow));
  withRegrant(
    withFilters(tasks.command('retry [task_id...]').description('run failed tasks again: those that are named, or all that the filter finds'), 'tasks'),
  )
    .option('--yes', 'do not ask')
    .option(...KEY_OPTION)
    .action(command<[string[]], ActFlags>(deps, exit, runRetry));
  withFilters(
    tasks.command('cancel [task_id...]').description('ask that tasks are not done: those that are named, or all open ones that the filter finds'),
    'tasks',
  )
    .option('--yes', 'do not ask')
    .option(...KEY_OPTION)
    .action(command<[string[]], ActFlags>(deps, exit, runCancel));
};

interface ListFlags extends FilterFlags, KeyFlags {
  readonly limit: string;
}

interface ActFlags extends FilterFlags, KeyFlags, BulkFlags, RegrantFlags {}

const MAX_LISTED = 1_000_000;
const PAGE = 500;

/** `writ tasks list`: with --json a task a line. */
async function runList(context: CommandContext, flags: ListFlags): Promise<number> {
  const filter = taskFilterOf(flags, context.clock.now());
  const limit = parseWhole(flags.limit, '--limit', { min: 1, max: MAX_LISTED });
  const api = await openApi(context, flags);
  const shown: TaskRecord[] = [];
  let left = limit;
  let cursor: string | undefined;
  do {
    const page = await api.ask((client) => client.tasks.page(filter, { limit: Math.min(PAGE, left), ...(cursor === undefined ? {} : { cursor }) }));
    left -= page.tasks.length;
    cursor = page.next;
    if (context.output.json) for (const task of page.tasks) await context.output.line(task);
    else shown.push(...(page.tasks as TaskRecord[]));
  } while (cursor !== undefined && left > 0);
  if (context.output.json) return 0;
  await context.output.text(shown.length === 0 ? 'no task fits' : table(COLUMNS, shown.map(rowOf(context.clock.now()))));
  if (cursor !== undefined) context.output.note(`more fit: --limit shows more than ${limit}`);
  return 0;
}

const COLUMNS = [
  { title: 'task' },
  { title: 'state' },
  { title: 'changed', align: 'right' },
  { title: 'capability' },
  { title: 'tries', align: 'right' },
  { title: 'about' },
] as const;
const WIDEST = 60;

const rowOf =
  (now: number) =>
  ({ task_id, state, updated_at, capability_id, attempts, error_code, message, source_path }: TaskRecord): string[] => [
    task_id,
    state,
    duration(now - Date.parse(updated_at)),
    capability_id,
    String(attempts),
    cut(printable(error_code === undefined ? (source_path ?? '') : `${error_code}: ${message ?? ''}`)),
  ];

function cut(text: string): string {
  const characters = [...text];
  return characters.length > WIDEST ? `${characters.slice(0, WIDEST - 1).join('')}…` : text;
}

/** `writ tasks show`. Throws WritError INVALID_RESULT for an outcome that nobody who is trusted here has signed. */
async function runShow(context: CommandContext, _flags: Record<never, never>, word: string): Promise<number> {
  const { taskIdOf, unprovenTask } = await import('../../shared/tasks/task-id.ts');
  const { taskDetails } = await import('../../shared/tasks/details.ts');
  const taskId = taskIdOf(word);
  const services = await context.services();
  const details = await taskDetails(taskId, await services.tasks(), () => services.signatures());
  await context.output.answer({ task_id: taskId, ...details }, () => detailsText(taskId, details));
  if (details.verified === false) throw unprovenTask(taskId);
  if (details.view?.result === undefined && details.view?.state !== 'failure') return 3;
  return details.view.state === 'success' ? 0 : 1;
}

function detailsText(taskId: string, { view, from, verified, journal, may }: TaskDetails): string {
  const rows: [string, string][] = [
    ['task', taskId],
    ['state', view?.state ?? 'not proved: nobody who is trusted here has signed its outcome'],
  ];
  const more = {
    capability: view?.capability_id,
    queue: view?.queue_paused === true ? `${view.queue} (paused)` : view?.queue,
    submitted: view?.submitted_at,
    since: view?.since,
    'not before': view?.not_before,
    tries: view?.attempts,
    'lease until': view?.lease_expires_at,
    cancel: view?.cancel_requested === true ? 'asked' : undefined,
    error: view?.result?.error == null ? view?.message : `${view.result.error.error_code}: ${view.result.error.message}`,
    output: view?.result?.output == null ? undefined : JSON.stringify(view.result.output),
    from,
    signature: verified === undefined ? undefined : verified ? 'verified' : 'DOES NOT VERIFY',
    journal: journal === undefined ? undefined : journalText(journal),
    'may be': Object.entries(may)
      .flatMap(([what, isIt]) =>
        isIt ? [what === 'retry' ? (journal?.doubtful === true ? 'retried (--regrant)' : 'retried') : what === 'undo' ? 'undone' : 'cancelled'] : [],
      )
      .join(', '),
  };
  for (const [name, value] of Object.entries(more)) if (value !== undefined && value !== '') rows.push([name, String(value)]);
  return pairs(rows);
}

function journalText({ attempts, open, succeeded, undone_by, doubtful, trimmed }: NonNullable<TaskDetails['journal']>): string {
  const facts = [`${attempts} attempts`];
  if (open) facts.push('one is open');
  if (succeeded) facts.push(undone_by === undefined ? 'the effect stands' : `undone by ${undone_by}`);
  if (doubtful) facts.push('the effect may have happened');
  if (trimmed) facts.push('trimmed');
  return facts.join(', ');
}

/** How often `follow` looks by itself, milliseconds. */
const LOOK_MS = 1000;

/** `writ tasks follow`: a line for each change, then the end. */
async function runFollow(context: CommandContext, { timeout }: { timeout: string }, word: string): Promise<number> {
  const { taskIdOf, unknownTask, unprovenTask } = await import('../../shared/tasks/task-id.ts');
  const { isLast, waitForOutcome } = await import('../../shared/tasks/task-status.ts');
  const { taskStatusJson, taskStatusText } = await import('../text/task-status.ts');
  const taskId = taskIdOf(word);
  const end = performance.now() + parseSeconds(timeout, '--timeout') * 1000;
  const tasks = await (await context.services()).tasks();
  const signal = context.interrupted();
  let last = '';
  for (;;) {
    const left = end - performance.now();
    const status = await waitForOutcome(taskId, tasks, { timeoutMs: last === '' ? 0 : Math.max(0, Math.min(LOOK_MS, left)), signal });
    if (status.state === 'unknown') throw unknownTask(taskId);
    const value = taskStatusJson(status);
    const words = JSON.stringify(value);
    if (words !== last && isLast(status)) {
      await context.output.answer({ task_id: taskId, ...value }, () => taskStatusText(status, context.clock.now()));
      if (status.state === 'unproven') throw unprovenTask(taskId);
      return status.state === 'finished' && status.outcome.status === 'SUCCESS' ? 0 : 1;
    }
    if (words !== last) {
      await context.output.line({ task_id: taskId, ...value });
      if (!context.output.json) context.output.note(taskStatusText(status, context.clock.now()));
    }
    last = words;
    if (signal.aborted) return 3;
    if (left <= 0) throw new WritError('TIMEOUT', `${taskId} has no outcome after ${timeout}: ${taskStatusText(status, context.clock.now())}`);
  }
}

/** `writ tasks retry`. */
async function runRetry(context: CommandContext, flags: ActFlags, names: readonly string[]): Promise<number> {
  const { retryTasks } = await import('../../shared/tasks/retry.ts');
  const { assertFailed } = await import('../../shared/bulk-retry.ts');
  const filter = taskFilterOf(flags, context.clock.now());
  assertFailed(filter, 'task');
  const services = await operatorServices(context);
  const terms = regrantTerms(flags);
  return act(context, flags, names, filter, ['failure'], 'retry', async (ids) => (await retryTasks(ids, terms, services)).map(errorOfRetry));
}

const OPEN = ['waiting', 'delayed', 'running'] as const;

/** `writ tasks cancel`: asks; what has begun is finished. */
async function runCancel(context: CommandContext, flags: ActFlags, names: readonly string[]): Promise<number> {
  const { cancelTask } = await import('../../shared/tasks/cancel.ts');
  const filter = taskFilterOf(flags, context.clock.now());
  const { state } = filter;
  const open = OPEN.filter((one) => state === undefined || one === state);
  if (open.length === 0) throw new WritError('INVALID_ARGUMENT', `only tasks that have not ended are cancelled: ${OPEN.join(', ')}`, { field: '--state' });
  const { each } = await import('../bulk/act-on-many.ts');
  const services = await operatorServices(context);
  const signal = context.interrupted();
  return act(
    context,
    flags,
    names,
    filter,
    open,
    'cancel',
    each((id) => cancelTask(id, { timeoutMs: 0, signal }, services)),
  );
}

async function act(
  context: CommandContext,
  flags: ActFlags,
  names: readonly string[],
  filter: TaskFilter,
  states: readonly NonNullable<TaskFilter['state']>[],
  verb: 'retry' | 'cancel',
  together: BulkAct['act'],
): Promise<number> {
  const { actOnMany } = await import('../bulk/act-on-many.ts');
  const { taskIdOf } = await import('../../shared/tasks/task-id.ts');
  if (names.length > 0 && Object.keys(filter).length > 0) throw new WritError('INVALID_ARGUMENT', 'name tasks, or give a filter; not both');
  const ids = names.map(taskIdOf);
  // What changes from now on is not this run's: a task that fails again is not retried twice.
  const now = new Date(context.clock.now()).toISOString();
  const bounded: TaskFilter = { ...filter, until: filter.until !== undefined && Date.parse(filter.until) < Date.parse(now) ? filter.until : now };
  const api = ids.length > 0 ? undefined : await openApi(context, flags);
  const words = ids.length > 0 ? ids.join(' ') : filterWords(bounded);
  return actOnMany(context, flags, {
    noun: 'task',
    verb,
    action: `task.${verb}_all`,
    subject: ids.length > 0 ? `${ids.length} named tasks` : JSON.stringify(bounded),
    named: ids.length > 0,
    async *pages() {
      if (api === undefined) yield ids;
      else
        for (const state of states) yield* pagesOf(async (cursor) => api.ask((client) => client.tasks.page({ ...bounded, state }, { limit: PAGE, ...cursor })));
    },
    act: together,
    again: `writ tasks ${verb} ${words}${regrantWords(flags)} --yes`,
  });
}

async function* pagesOf(
  page: (cursor: { readonly cursor?: string }) => Promise<{ readonly tasks: readonly { readonly task_id: string }[]; readonly next?: string | undefined }>,
): AsyncGenerator<readonly string[]> {
  let cursor: { cursor?: string } | undefined = {};
  while (cursor !== undefined) {
    const { tasks, next }: Awaited<ReturnType<typeof page>> = await page(cursor);
    yield tasks.map(({ task_id }) => task_id);
    cursor = next === undefined ? undefined : { cursor: next };
  }
}
