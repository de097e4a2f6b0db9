import { PlanFilter, type PlanHistory, type PlanRecord, ShownPlanState } from '../../../contracts/index.ts';
import { duration } from '../../../core/units.ts';
import { heldPlan } from '../../shared/paused/held.ts';
import { planHistory } from '../../shared/plans/history.ts';
import { waitText } from '../../shared/plans/wait-text.ts';
import type { Caller } from '../caller.ts';
import { approvalPart } from './approvals.ts';
import { type FilterField, filterForm, nextLink, readFilter } from './filter-form.ts';
import { type Html, html, part, visible } from './html.ts';
import { planLink, taskLink } from './links.ts';
import { actionForm, CONSOLE_PATH, factsOf, stateMark, tableOf } from './page.ts';
import { drawGraph, drawTimeline } from './plan-drawing.ts';
import type { ConsoleServices } from './services.ts';
import { ago } from './times.ts';

const PATH = `${CONSOLE_PATH}/plans`;
const PAGE = 50;
const STEPS = 200;

const FIELDS: readonly FilterField[] = [
  { name: 'state', label: 'State', choices: ShownPlanState.options },
  { name: 'error_code', label: 'Code' },
  { name: 'since', label: 'Since (UTC)', isTime: true },
  { name: 'until', label: 'Until (UTC)', isTime: true },
];
const COLUMNS = [{ title: 'plan' }, { title: 'state' }, { title: 'changed' }, { title: 'steps', isNumber: true }, { title: 'about' }] as const;

/** @throws WritError INVALID_ARGUMENT for a filter that is none, REDIS_UNAVAILABLE, STORAGE_UNAVAILABLE */
export async function planListPage(query: URLSearchParams, { plans, clock }: ConsoleServices): Promise<Html> {
  const filter = readFilter(PlanFilter, query, FIELDS);
  const cursor = query.get('cursor');
  const page = await plans.plans.list(filter, { limit: PAGE, ...(cursor === null ? {} : { cursor }) });
  const rows = page.plans.map((plan) => [
    planLink(plan.plan_id),
    stateMark(plan.state),
    ago(plan.updated_at, clock.now()),
    plan.steps_done,
    visible(aboutOf(plan), 160),
  ]);
  return html`${filterForm(PATH, FIELDS, query)}${tableOf('Those that wait, then the newest change first', COLUMNS, rows, 'No plan fits.')}${nextLink(PATH, query, page.next)}`;
}

function aboutOf({ error, current, cancel_requested, not_before }: PlanRecord): string {
  const where = not_before === undefined ? '' : `not before ${not_before}`;
  const about = error === undefined ? (current === undefined ? where : `at ${current}`) : `${error.code}: ${error.message}`;
  return cancel_requested ? `${about} (a cancel is asked)` : about;
}

const STEP_COLUMNS = [
  { title: 'step' },
  { title: 'capability' },
  { title: 'state' },
  { title: 'took', isNumber: true },
  { title: 'ended' },
  { title: 'task' },
] as const;

/** @throws WritError NOT_FOUND, INVALID_ARGUMENT, INVALID_RESULT, REDIS_UNAVAILABLE, STORAGE_UNAVAILABLE */
export async function planPage(id: string, query: URLSearchParams, caller: Caller, services: ConsoleServices): Promise<Html> {
  const {
    plans: { plans },
    clock,
  } = services;
  const cursor = query.get('cursor');
  const history = await planHistory(id, { limit: STEPS, ...(cursor === null ? {} : { cursor }) }, plans);
  const view = await plans.view(id);
  const paused = view && (await heldPlan(view, services)).paused_queue;
  const { steps } = history;
  return html`${factsOf([
    ['plan', id],
    ['state', stateMark(history.state)],
    ['error', view?.error && `${view.error.code}: ${view.error.message}`],
    ['not before', view?.notBefore === undefined ? undefined : new Date(view.notBefore).toISOString()],
    ['under way', view?.current && `${view.current.tool} ${view.current.operation} at ${view.current.path}`],
    ['paused queue', paused === undefined ? undefined : `${paused}: it goes on when somebody resumes the queue`],
    ['waits', view?.current?.waits && waitText(view.current.waits)],
    ['its task', view?.current?.taskId === undefined || view.current.waits?.for === 'approval' ? undefined : taskLink(view.current.taskId)],
    ['cancel', view?.cancelRequested === true ? 'asked' : undefined],
    ['retries', history.retries],
    ['changed', ago(history.updated_at, clock.now())],
    ['its tasks', html`<a href="${CONSOLE_PATH}/tasks?plan=${id}">in the index</a>`],
  ])}
${history.state === 'running' ? await approvalPart(id, caller, services) : undefined}
${caller.roles.has('operate') ? actions(id, history.state) : undefined}
${steps.length === 0 ? undefined : html`<h2>Timeline</h2>${drawTimeline(steps)}<h2>Graph</h2>${drawGraph(steps)}`}
<h2>Steps</h2>${stepTable(history)}${nextLink(`${PATH}/${id}`, query, history.next)}`;
}

function stepTable({ steps }: PlanHistory): Html {
  const rows = steps.map(({ path, capability_id, state, error_code, voided, since, ended_at, task_id }) => [
    visible(path, 120),
    capability_id,
    html`${stateMark(state)} ${error_code}${voided ? ' (voided by a retry)' : undefined}`,
    since === undefined || ended_at === undefined ? '-' : duration(Date.parse(ended_at) - Date.parse(since)),
    ended_at?.replace('T', ' '),
    taskLink(task_id),
  ]);
  return tableOf('In the order in which they ended', STEP_COLUMNS, rows, 'No step has ended, or the plan journal lies on another host.');
}

function actions(id: string, state: PlanHistory['state']): Html {
  const undo = actionForm(`${PATH}/${part(id)}/undo`, 'Undo', 'What it did is taken back, the last step first; it stops at a step that cannot be.');
  if (state === 'failure')
    return html`<div class="actions">${actionForm(`${PATH}/${part(id)}/retry`, 'Retry', 'It runs on from the step that ended it; what was done stands.')}${undo}</div>`;
  if (state === 'success') return html`<div class="actions">${undo}</div>`;
  return html`<div class="actions">${actionForm(`${PATH}/${part(id)}/cancel`, 'Cancel', 'It ends before its next step; a step that has begun is finished.')}</div>`;
}
