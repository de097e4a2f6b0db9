import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { audited } from '../../../core/audited.ts';
import type { OperatorAction } from '../../../core/ports/index.ts';
import { cancelPlan } from '../../shared/plans/operate.ts';
import { planIdOf } from '../../shared/plans/plan-id.ts';
import { planRetryServices, retryPlan } from '../../shared/plans/retry.ts';
import { undoPlan } from '../../shared/plans/undo.ts';
import { cancelTask } from '../../shared/tasks/cancel.ts';
import { retryDetail, retryTask } from '../../shared/tasks/retry.ts';
import { taskIdOf } from '../../shared/tasks/task-id.ts';
import { undoTask } from '../../shared/tasks/undo.ts';
import type { HttpPlugin } from '../options.ts';
import { problemOf, sendProblem } from '../problem.ts';
import { endSession } from '../security/shown-session.ts';
import type { HttpServices } from '../services.ts';
import { approvalForms, approvalList } from './approvals.ts';
import { doneNote } from './done-note.ts';
import { html, part, visible } from './html.ts';
import { nowPage, trouble } from './now-page.ts';
import { CONSOLE_PATH, frameOf, queryOf, sendPage } from './page.ts';
import { planListPage, planPage } from './plan-pages.ts';
import { scheduleForms, schedulePages } from './schedule-pages.ts';
import { type ConsoleServices, callerOf, operatorOf } from './services.ts';
import { sessionPage } from './session-page.ts';
import { CONSOLE_CSS } from './style.ts';
import { taskListPage, taskPage } from './task-pages.ts';
import { webhookPages } from './webhook-pages.ts';

const FORM_BYTES = 1024;
/** How long a cancel is waited for before the page is shown again. */
const WAIT_MS = 1000;

/** The pages of operators: whoever has the role `read` looks, whoever has `operate` acts. No script; forms as the login has them. */
export function consolePlugin(http: HttpServices): HttpPlugin {
  return async (app, guard, sessions) => {
    const services: ConsoleServices = { ...http, sessions };
    await app.register(
      async (scope) => {
        scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: FORM_BYTES }, (_request, _text, done) =>
          done(null, undefined),
        );
        scope.setErrorHandler(failOnPage);
        await scope.register(async (pages) => {
          pages.addHook('preHandler', guard.require('read'));
          shownPages(pages, services);
          approvalList(pages, services);
          approvalForms(pages, services);
          schedulePages(pages, services);
        });
        await scope.register(async (acts) => {
          acts.addHook('preHandler', guard.require('operate'));
          operatorPages(acts, services);
          webhookPages(acts, services);
        });
        await scope.register(async (acts) => {
          acts.addHook('preHandler', guard.require('kernel'));
          scheduleForms(acts, services);
        });
      },
      { prefix: CONSOLE_PATH },
    );
  };
}

type Id = { Params: { id: string } };

function shownPages(pages: FastifyInstance, services: ConsoleServices): void {
  pages.get('/', async (request, reply) => sendPage(reply, 200, frameOf(request, 'Now', ''), await nowPage(services)));
  pages.get('/console.css', async (_request, reply) => reply.type('text/css; charset=utf-8').send(CONSOLE_CSS));
  pages.get('/tasks', async (request, reply) => sendPage(reply, 200, frameOf(request, 'Tasks', '/tasks'), await taskListPage(queryOf(request), services)));
  pages.get<Id>('/tasks/:id', async (request, reply) => {
    const id = taskIdOf(request.params.id);
    return sendPage(
      reply,
      200,
      frameOf(request, `Task ${visible(id, 80)}`, '/tasks'),
      html`${doneNote(request)}${await taskPage(id, callerOf(request), services)}`,
    );
  });
  pages.get('/plans', async (request, reply) => sendPage(reply, 200, frameOf(request, 'Plans', '/plans'), await planListPage(queryOf(request), services)));
  pages.get<Id>('/plans/:id', async (request, reply) => {
    const id = planIdOf(request.params.id);
    const body = html`${doneNote(request)}${await planPage(id, queryOf(request), callerOf(request), services)}`;
    return sendPage(reply, 200, frameOf(request, `Plan ${id.slice(0, 16)}…`, '/plans'), body);
  });
}

type Act = (id: string, request: FastifyRequest) => Promise<string>;

/** What the forms do: each answers where to look then. */
function operatorPages(acts: FastifyInstance, services: ConsoleServices): void {
  const { audit, plans } = services;
  const entry = (request: FastifyRequest, action: string, subject: string): Omit<OperatorAction, 'outcome'> => ({
    surface: 'http',
    who: callerOf(request).name,
    action,
    subject,
  });
  const forms: Readonly<Record<string, Act>> = {
    '/tasks/:id/retry': async (word, request) => {
      const id = taskIdOf(word);
      await audited(audit, entry(request, 'task.retry', id), () => retryTask(id, {}, operatorOf(services, callerOf(request))), retryDetail);
      return `/tasks/${part(id)}?done=retry`;
    },
    '/tasks/:id/undo': async (word, request) => {
      const id = taskIdOf(word);
      const { undoId } = await audited(audit, entry(request, 'task.undo', id), () => undoTask(id, operatorOf(services, callerOf(request))));
      return `/tasks/${part(undoId)}?done=undo`;
    },
    '/tasks/:id/cancel': async (word, request) => {
      const id = taskIdOf(word);
      await audited(audit, entry(request, 'task.cancel', id), () => cancelTask(id, { timeoutMs: WAIT_MS, signal: AbortSignal.timeout(WAIT_MS) }, services));
      return `/tasks/${part(id)}?done=cancel`;
    },
    '/plans/:id/retry': async (word, request) => {
      const id = planIdOf(word);
      const retryServices = planRetryServices(plans, operatorOf(services, callerOf(request)));
      await audited(audit, entry(request, 'plan.retry', id), () => retryPlan(id, {}, retryServices), retryDetail);
      return `/plans/${id}?done=retry`;
    },
    '/plans/:id/cancel': async (word, request) => {
      const id = planIdOf(word);
      await audited(audit, entry(request, 'plan.cancel', id), () => cancelPlan(id, plans.plans));
      return `/plans/${id}?done=cancel`;
    },
    '/plans/:id/undo': async (word, request) => {
      const id = planIdOf(word);
      const undoServices = { ...operatorOf(services, callerOf(request)), plans: plans.plans, preview: plans.preview };
      const { undoId } = await audited(audit, entry(request, 'plan.undo', id), () => undoPlan(id, undoServices));
      return `/plans/${undoId}?done=plan-undo`;
    },
    '/sessions/:id/end': async (id, request) => {
      await endSession(id, callerOf(request).name, services);
      return '/sessions?done=end';
    },
  };
  for (const [path, act] of Object.entries(forms)) {
    acts.post<Id>(path, async (request, reply) => reply.redirect(`${CONSOLE_PATH}${await act(request.params.id, request)}`, 303));
  }
  acts.get('/sessions', async (request, reply) =>
    sendPage(reply, 200, frameOf(request, 'Sessions', '/sessions'), html`${doneNote(request)}${sessionPage(callerOf(request), services)}`),
  );
}

/** A person is told on a page, a program with a problem document; what is our own fault goes on to the server's handler. */
function failOnPage(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const problem = problemOf(error);
  if (problem.code === 'INTERNAL') throw error;
  const asPage = request.headers.accept?.includes('text/html') === true;
  const hint = HINTS[problem.code];
  const body = html`${trouble(`${problem.detail} (${problem.code})`)}${hint === undefined ? undefined : html`<p>${hint}</p>`}<p><a href="${CONSOLE_PATH}">To the first page</a></p>`;
  void (asPage ? sendPage(reply, problem.status, { title: problem.title, caller: request.caller }, body) : sendProblem(reply, problem));
}

const HINTS: Readonly<Record<string, string>> = {
  REDIS_UNAVAILABLE:
    'Redis, which holds queues and outcomes, does not answer. Nothing is lost: tasks that run are finished, and this page is back when Redis is. `writ doctor` says what is wrong.',
  KERNEL_UNAVAILABLE: 'The kernel, which signs leases, does not answer. Start it, and do the same again.',
};
