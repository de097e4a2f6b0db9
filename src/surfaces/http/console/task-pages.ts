import { CAPABILITY_QUEUE, SHOWN_STATES, TaskFilter, TOOL_CALL } from '../../../contracts/index.ts';
import { type TaskDetails, taskDetails } from '../../shared/tasks/details.ts';
import type { Caller } from '../caller.ts';
import { type FilterField, filterForm, nextLink, readFilter } from './filter-form.ts';
import { type Html, html, lines, part, visible } from './html.ts';
import { taskLink } from './links.ts';
import { trouble } from './now-page.ts';
import { actionForm, CONSOLE_PATH, factsOf, stateMark, tableOf } from './page.ts';
import type { ConsoleServices } from './services.ts';
import { ago } from './times.ts';

const PATH = `${CONSOLE_PATH}/tasks`;
const PAGE = 50;

const FIELDS: readonly FilterField[] = [
  { name: 'state', label: 'State', choices: SHOWN_STATES },
  { name: 'error_code', label: 'Code' },
  { name: 'capability', label: 'Capability', choices: [...Object.keys(CAPABILITY_QUEUE), TOOL_CALL].filter((one, at, all) => all.indexOf(one) === at) },
  { name: 'path', label: 'Path beneath' },
  { name: 'plan', label: 'Plan' },
  { name: 'since', label: 'Since (UTC)', isTime: true },
  { name: 'until', label: 'Until (UTC)', isTime: true },
];

const COLUMNS = [
  { title: 'task' },
  { title: 'state' },
  { title: 'changed' },
  { title: 'capability' },
  { title: 'tries', isNumber: true },
  { title: 'about' },
] as const;
/** Characters of what a row is about. */
const ABOUT = 160;
/** Characters of a result; the API has all of it. */
const RESULT = 65_536;

/** @throws WritError INVALID_ARGUMENT for a filter that is none, STORAGE_UNAVAILABLE */
export async function taskListPage(query: URLSearchParams, { index, clock }: ConsoleServices): Promise<Html> {
  const filter = readFilter(TaskFilter, query, FIELDS);
  const cursor = query.get('cursor');
  const { tasks, next } = await index.list(filter, { limit: PAGE, ...(cursor === null ? {} : { cursor }) });
  const rows = tasks.map(({ task_id, state, updated_at, capability_id, attempts, error_code, message, source_path, destination_path }) => [
    taskLink(task_id),
    stateMark(state),
    ago(updated_at, clock.now()),
    capability_id,
    attempts,
    visible(error_code === undefined ? [source_path, destination_path].filter(Boolean).join(' → ') : `${error_code}: ${message ?? ''}`, ABOUT),
  ]);
  return html`${filterForm(PATH, FIELDS, query)}${tableOf('Newest change first', COLUMNS, rows, 'No task fits.')}${nextLink(PATH, query, next)}`;
}

/** @throws WritError NOT_FOUND, REDIS_UNAVAILABLE, STORAGE_UNAVAILABLE */
export async function taskPage(taskId: string, caller: Caller, services: ConsoleServices): Promise<Html> {
  const details = await taskDetails(taskId, services.tasks, services.signatures);
  const { view, from, journal, verified } = details;
  const result = view?.result;
  const plan = provenPlan(details);
  return html`${verified === false ? trouble('Nobody who is trusted here has signed what is stored as the outcome of this task: do not act on it.') : undefined}
${factsOf([
  ['state', view && stateMark(view.state)],
  ['capability', view?.capability_id],
  ['queue', view?.queue_paused === true ? `${view.queue} (paused: it waits until somebody resumes the queue)` : view?.queue],
  ['error', result?.error == null ? view?.message : `${result.error.error_code}: ${result.error.message}`],
  ['signature', verified === undefined ? undefined : verified ? `verified, from the ${from}` : 'does not verify'],
  ['tries', view?.attempts],
  ['submitted', view?.submitted_at],
  ['since', view?.since],
  ['not before', view?.not_before],
  ['lease until', view?.lease_expires_at],
  ['cancel', view?.cancel_requested === true ? 'asked' : undefined],
  ['plan', plan && html`<a href="${CONSOLE_PATH}/plans/${part(plan)}">${plan}</a>`],
  ['journal', journal && journalText(journal)],
  ['undone by', journal?.undone_by === undefined ? undefined : taskLink(journal.undone_by)],
])}
${caller.roles.has('operate') ? actions(taskId, details.may) : undefined}
${result == null ? undefined : html`<h2>Result</h2><pre>${lines(JSON.stringify(result, null, 2), RESULT)}</pre>`}`;
}

function provenPlan({ view }: TaskDetails): string | undefined {
  const plan = view?.result?.output?.['plan_sha256'];
  return typeof plan === 'string' ? plan : undefined;
}

function journalText({ attempts, open, succeeded, doubtful, trimmed }: NonNullable<TaskDetails['journal']>): string {
  const facts = [`${attempts} attempts`];
  if (open) facts.push('one is open');
  if (succeeded) facts.push('its effect was made');
  if (doubtful) facts.push('its effect may have happened');
  if (trimmed) facts.push('trimmed to one line');
  return facts.join(', ');
}

function actions(taskId: string, may: TaskDetails['may']): Html {
  const at = `${PATH}/${part(taskId)}`;
  return html`<div class="actions">${may.retry ? actionForm(`${at}/retry`, 'Retry') : undefined}${
    may.undo ? actionForm(`${at}/undo`, 'Undo', 'A task of its own takes back what this one did.') : undefined
  }${may.cancel ? actionForm(`${at}/cancel`, 'Cancel', 'What has begun is finished; its outcome tells whether the cancel came in time.') : undefined}</div>`;
}
