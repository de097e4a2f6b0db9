import type { FastifyInstance } from 'fastify';
import { ScheduleAction, type ScheduleFiring, type ScheduleView } from '../../../contracts/index.ts';
import { actOnSchedule } from '../../shared/schedules.ts';
import { taskIdOf } from '../../shared/tasks/task-id.ts';
import type { Caller } from '../caller.ts';
import { doneNote } from './done-note.ts';
import { type Html, html, part, visible } from './html.ts';
import { subjectLink } from './links.ts';
import { actionForm, CONSOLE_PATH, factsOf, frameOf, sendPage, stateMark, tableOf } from './page.ts';
import { type ConsoleServices, callerOf } from './services.ts';
import { inTime, minuteOf } from './times.ts';

const PATH = `${CONSOLE_PATH}/schedules`;
const COLUMNS = [{ title: 'schedule' }, { title: 'makes' }, { title: 'when' }, { title: 'state' }, { title: 'next' }] as const;
const FIRING_COLUMNS = [{ title: 'planned' }, { title: 'state' }, { title: 'detail' }, { title: 'made' }, { title: 'pushes', isNumber: true }] as const;

type Id = { Params: { id: string } };

/** Schedules, and one with its last firings. The kernel keeps them: without it there is nothing to be seen. */
export function schedulePages(pages: FastifyInstance, services: ConsoleServices): void {
  pages.get('/schedules', async (request, reply) => {
    const { schedules } = await services.kernel(callerOf(request));
    const rows = (await schedules.list()).map((view) => rowOf(view, services.clock.now()));
    const table = tableOf('In the order of their ids', COLUMNS, rows, 'There is no schedule. `writ schedule add` registers one.');
    return sendPage(reply, 200, frameOf(request, 'Schedules', '/schedules'), html`${doneNote(request)}${table}`);
  });
  pages.get<Id>('/schedules/:id', async (request, reply) => {
    const [id, caller] = [taskIdOf(request.params.id), callerOf(request)];
    const view = await (await services.kernel(caller)).schedules.show(id);
    const frame = frameOf(request, `Schedule ${visible(id, 80)}`, '/schedules');
    return sendPage(reply, 200, frame, html`${doneNote(request)}${shown(view, caller, services.clock.now())}`);
  });
}

/** Pause, resume and remove; who may is who has the role `kernel`. */
export function scheduleForms(acts: FastifyInstance, services: ConsoleServices): void {
  for (const action of ScheduleAction.options) {
    acts.post<Id>(`/schedules/:id/${action}`, async (request, reply) => {
      const [id, caller] = [taskIdOf(request.params.id), callerOf(request)];
      const { schedules } = await services.kernel(caller);
      await actOnSchedule(id, action, { surface: 'http', who: caller.name }, { schedules, audit: services.audit });
      return reply.redirect(action === 'remove' ? `${PATH}?done=remove` : `${PATH}/${part(id)}?done=${action}`, 303);
    });
  }
}

function rowOf(view: ScheduleView, now: number): readonly (Html | string | undefined)[] {
  const { id, cron, tz, state } = view;
  return [html`<a href="${PATH}/${part(id)}">${visible(id, 80)}</a>`, madeBy(view), `${cron} (${tz})`, state, nextOf(view, now)];
}

function madeBy({ manifest, plan_sha256 }: ScheduleView): string {
  return manifest === undefined ? `plans of ${(plan_sha256 ?? '').slice(0, 16)}…` : visible(manifest.capability_id, 120);
}

/** The paths of a task on files. */
function aboutOf({ manifest }: ScheduleView): string {
  const { source_path, destination_path } = manifest?.inputs ?? {};
  return [source_path, destination_path].flatMap((one) => (typeof one === 'string' ? [visible(one, 400)] : [])).join(' → ');
}

function nextOf({ next }: ScheduleView, now: number): string {
  return next === undefined ? '-' : `${minuteOf(next)}, ${inTime(next, now)}`;
}

function shown(view: ScheduleView, caller: Caller, now: number): Html {
  const { cron, tz, state, missed, overlap, gap, fold, ttl, attempts, priority, registered_at, registered_by, firings = [] } = view;
  const facts = factsOf([
    ['state', state],
    ['makes', madeBy(view)],
    ['about', aboutOf(view)],
    ['when', `${cron} (${tz})`],
    ['next', nextOf(view, now)],
    ['missed times', missed],
    ['overlap', overlap],
    ['clocks forward', gap],
    ['clocks back', fold],
    ['life of a lease', ttl === undefined ? undefined : `${ttl} s`],
    ['attempts', attempts],
    ['priority', priority],
    ['registered', `${minuteOf(registered_at)}${registered_by === undefined ? '' : ` by ${visible(registered_by, 120)}`}`],
  ]);
  return html`${facts}
${caller.roles.has('kernel') ? actions(view) : html`<p>It takes the role kernel to pause or remove it.</p>`}
<h2>Firings</h2>${tableOf('The newest first', FIRING_COLUMNS, firings.map(firingRow), 'It has made nothing yet.')}`;
}

function actions({ id, state }: ScheduleView): Html {
  const at = `${PATH}/${part(id)}`;
  const turn =
    state === 'active'
      ? actionForm(`${at}/pause`, 'Pause', 'It makes nothing until it is resumed, and does not make up for it.')
      : actionForm(`${at}/resume`, 'Resume', 'It makes tasks or plans again, from now on.');
  return html`<div class="actions">${turn}${actionForm(`${at}/remove`, 'Remove', 'It makes nothing any more; what is on the queue goes on.')}</div>`;
}

function firingRow(firing: ScheduleFiring): readonly (Html | string | number | undefined)[] {
  const { planned, state, detail, pushes } = firing;
  return [minuteOf(planned), stateMark(state, markOf(state, detail)), detail === undefined ? '-' : visible(detail, 120), subjectLink(firing), pushes];
}

/** Of an end by how it ended; of a firing that waits or was left out the open mark. */
function markOf(state: ScheduleFiring['state'], detail: string | undefined): string {
  if (state === 'ended') return detail === 'SUCCESS' ? 'success' : 'failure';
  return { due: '', skipped: '', pushed: 'running', refused: 'failure' }[state];
}
