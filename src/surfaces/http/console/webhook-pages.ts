import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { EndpointId, NoticeCursor, NoticeId, type NoticeLine, NoticeState, type WebhookEndpointView } from '../../../contracts/index.ts';
import { resendNotices, testWebhook } from '../../shared/webhooks.ts';
import { checked } from '../route.ts';
import { doneNote } from './done-note.ts';
import { filterForm, nextLink, queryLike, readFilter } from './filter-form.ts';
import { type Html, html, part, visible } from './html.ts';
import { subjectLink } from './links.ts';
import { actionForm, CONSOLE_PATH, frameOf, queryOf, sendPage, stateMark, tableOf } from './page.ts';
import { type ConsoleServices, callerOf } from './services.ts';
import { ago } from './times.ts';

const PATH = `${CONSOLE_PATH}/webhooks`;
const PAGE = 50;
const NO_PROBLEMS = { problems: [] };
const ENDPOINT_COLUMNS = [
  { title: 'endpoint' },
  { title: 'address' },
  { title: 'pending', isNumber: true },
  { title: 'delivered', isNumber: true },
  { title: 'dead', isNumber: true },
  { title: 'action' },
] as const;
const NOTICE_COLUMNS = [
  ...([{ title: 'made' }, { title: 'about' }, { title: 'endpoint' }, { title: 'state' }] as const),
  ...([{ title: 'failed attempts', isNumber: true }, { title: 'problem' }, { title: 'action' }] as const),
] as const;
const FIELDS = [
  { name: 'endpoint', label: 'Endpoint' },
  { name: 'state', label: 'State', choices: NoticeState.options },
] as const;
const Filter = z.strictObject({ endpoint: EndpointId.optional(), state: NoticeState.optional() });
const Cursor = z.strictObject({ cursor: NoticeCursor.optional() });
const Endpoint = z.strictObject({ endpoint: EndpointId });
const Notice = z.strictObject({ id: NoticeId });

/** Receivers with their notices; dead ones can be sent again, one or all of an endpoint, and a receiver can be tried. */
export function webhookPages(acts: FastifyInstance, services: ConsoleServices): void {
  const { webhooks, clock } = services;
  acts.get('/webhooks', async (request, reply) => {
    const [query, now] = [queryOf(request), clock.now()];
    const { endpoints } = await webhooks.list();
    const filter = readFilter(Filter, query, FIELDS);
    const { cursor } = checked(NO_PROBLEMS, 'query', Cursor, { cursor: query.get('cursor') ?? undefined });
    const { notices, next } = await webhooks.notices(filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    const body = html`${doneNote(request)}
${tableOf(
  'Endpoints of the settings',
  ENDPOINT_COLUMNS,
  endpoints.map((endpoint) => endpointRow(endpoint, query)),
  'No endpoint is set: nobody is told. The settings have it under webhooks.endpoints.',
)}
<h2>Notices</h2>${filterForm(PATH, FIELDS, query)}
${tableOf(
  'The newest first',
  NOTICE_COLUMNS,
  notices.map((line) => noticeRow(line, query, now)),
  'There is none.',
)}${nextLink(PATH, query, next)}`;
    return sendPage(reply, 200, frameOf(request, 'Webhooks', '/webhooks'), body);
  });
  acts.post('/webhooks/:endpoint/resend', async (request, reply) => {
    await resendNotices({ endpoint: endpointOf(request) }, { surface: 'http', who: callerOf(request).name }, services);
    return reply.redirect(pageOf(request, 'resend'), 303);
  });
  acts.post('/webhooks/:endpoint/test', async (request, reply) => {
    const { delivered } = await testWebhook(endpointOf(request), { surface: 'http', who: callerOf(request).name }, services);
    return reply.redirect(pageOf(request, `test-${delivered ? 'taken' : 'failed'}`), 303);
  });
  acts.post('/webhooks/notices/:id/resend', async (request, reply) => {
    await resendNotices({ id: checked(NO_PROBLEMS, 'params', Notice, request.params).id }, { surface: 'http', who: callerOf(request).name }, services);
    return reply.redirect(pageOf(request, 'resend'), 303);
  });
}

/** The page on which the button was, with what it has done. */
function pageOf(request: FastifyRequest, done: string): string {
  return `${PATH}${queryLike(queryOf(request), { done })}`;
}

function endpointOf({ params }: Pick<FastifyRequest, 'params'>): string {
  return checked(NO_PROBLEMS, 'params', Endpoint, params).endpoint;
}

function endpointRow({ endpoint, url, pending, delivered, dead }: WebhookEndpointView, query: URLSearchParams): readonly (Html | string | number)[] {
  const to = (action: string): string => `${PATH}/${part(endpoint)}/${action}${queryLike(query)}`;
  const resend =
    dead === 0
      ? undefined
      : actionForm(to('resend'), `Send all ${dead} dead of ${endpoint} again`, 'Each with all its attempts, those of one task in their order.');
  const test = actionForm(to('test'), `Try ${endpoint}`, 'One signed notice of the type webhook.test is sent, once.');
  return [endpoint, visible(url, 200), pending, delivered, dead, html`<div class="actions">${resend}${test}</div>`];
}

function noticeRow(line: NoticeLine, query: URLSearchParams, now: number): readonly (Html | string | number | undefined)[] {
  const { id, endpoint, state, attempts, created_at, problem } = line;
  const again =
    state === 'dead'
      ? actionForm(`${PATH}/notices/${part(id)}/resend${queryLike(query)}`, 'Send again', 'With all its attempts, under the same webhook-id.')
      : undefined;
  return [
    ago(created_at, now),
    subjectLink(line),
    visible(endpoint, 80),
    stateMark(state, MARKS[state]),
    attempts,
    problem === undefined ? '-' : visible(problem, 200),
    again,
  ];
}

const MARKS: Readonly<Record<NoticeState, string>> = { pending: 'running', delivered: 'success', dead: 'failure' };
