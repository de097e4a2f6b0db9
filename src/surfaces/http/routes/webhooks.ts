import { z } from 'zod';
import {
  EndpointId,
  NoticeCursor,
  NoticeId,
  NoticeList,
  NoticeResend,
  NoticeState,
  NoticeView,
  Sha256Hex,
  WebhookList,
  WebhookTest,
} from '../../../contracts/index.ts';
import { resendNotices, testWebhook } from '../../shared/webhooks.ts';
import { route } from '../route.ts';

const NoticeParams = z.strictObject({ id: NoticeId.meta({ description: '`webhook-id` of the notice.' }) });
const EndpointParams = z.strictObject({ endpoint: EndpointId.meta({ description: 'As the settings name it.' }) });
const NoticeQuery = z.strictObject({
  endpoint: EndpointId.optional().describe('Of this endpoint.'),
  state: NoticeState.optional().describe('`dead` ones were given up and can be sent again.'),
  task: z.string().min(1).max(128).optional().describe('About this task.'),
  plan: Sha256Hex.optional().describe('About this plan.'),
  limit: z.coerce.number().int().min(1).max(500).default(50).describe('Notices on a page.'),
  cursor: NoticeCursor.optional().describe('`next` of the page before.'),
});
const STORAGE = ['STORAGE_UNAVAILABLE'] as const;

export const listWebhooks = route({
  method: 'GET',
  path: '/v1/webhooks',
  operation: 'listWebhooks',
  summary: 'Who is told of the ends of tasks and plans',
  description: 'The endpoints of the settings, how many notices each has in which state, and the public key that verifies notices.',
  tag: 'webhooks',
  access: ['operate'],
  responses: { 200: { description: 'Every endpoint.', schema: WebhookList } },
  problems: [...STORAGE],
  handle: async ({ services }) => ({ status: 200, body: await services.webhooks.list(), headers: { 'cache-control': 'no-store' } }),
});

export const listNotices = route({
  method: 'GET',
  path: '/v1/webhooks/notices',
  operation: 'listNotices',
  summary: 'Notices, the newest first',
  description: 'What was delivered, what still waits for its next attempt, and what was given up. Delivered and dead ones are kept for `webhooks.keep_s`.',
  tag: 'webhooks',
  access: ['operate'],
  query: NoticeQuery,
  responses: { 200: { description: 'A page; `next` is the cursor of the following one.', schema: NoticeList } },
  problems: ['INVALID_ARGUMENT', ...STORAGE],
  async handle({ query: { limit, cursor, ...filter }, services }) {
    return { status: 200, body: await services.webhooks.notices(filter, { limit, ...(cursor === undefined ? {} : { cursor }) }) };
  },
});

export const readNotice = route({
  method: 'GET',
  path: '/v1/webhooks/notices/:id',
  operation: 'readNotice',
  summary: 'One notice with its text',
  tag: 'webhooks',
  access: ['operate'],
  params: NoticeParams,
  responses: { 200: { description: 'The notice.', schema: NoticeView } },
  problems: ['INVALID_ARGUMENT', 'NOT_FOUND', ...STORAGE],
  handle: async ({ params: { id }, services }) => ({ status: 200, body: await services.webhooks.read(id) }),
});

export const resendNotice = route({
  method: 'POST',
  path: '/v1/webhooks/notices/:id/resend',
  operation: 'resendNotice',
  summary: 'Send a dead notice again',
  description: 'With all its attempts and under the same `webhook-id`. Audited.',
  tag: 'webhooks',
  access: ['operate'],
  params: NoticeParams,
  responses: { 200: { description: 'It is due now.', schema: NoticeResend } },
  problems: ['INVALID_ARGUMENT', 'NOT_FOUND', 'WRONG_STATE', 'REDIS_UNAVAILABLE', ...STORAGE],
  handle: async ({ params: { id }, caller, services }) => ({ status: 200, body: await resendNotices({ id }, { surface: 'http', who: caller.name }, services) }),
});

export const resendDead = route({
  method: 'POST',
  path: '/v1/webhooks/:endpoint/resend',
  operation: 'resendDeadNotices',
  summary: 'Send all dead notices of an endpoint again',
  description:
    'Each under its own `webhook-id`, those of one task in their order. Of those whose text was dropped for lack of room 1,000 are made again by one ' +
    'call, from the results of their tasks; `left` says how many are still dead. Audited.',
  tag: 'webhooks',
  access: ['operate'],
  params: EndpointParams,
  responses: { 200: { description: 'They are due now.', schema: NoticeResend } },
  problems: ['INVALID_ARGUMENT', 'NOT_FOUND', 'REDIS_UNAVAILABLE', ...STORAGE],
  handle: async ({ params: { endpoint }, caller, services }) => ({
    status: 200,
    body: await resendNotices({ endpoint }, { surface: 'http', who: caller.name }, services),
  }),
});

export const testEndpoint = route({
  method: 'POST',
  path: '/v1/webhooks/:endpoint/test',
  operation: 'testWebhook',
  summary: 'Try an endpoint',
  description: 'Sends one signed notice of the type `webhook.test`, once, and says what came of it. Audited.',
  tag: 'webhooks',
  access: ['operate'],
  params: EndpointParams,
  responses: { 200: { description: 'Whether the receiver took it.', schema: WebhookTest } },
  problems: ['INVALID_ARGUMENT', 'NOT_FOUND', ...STORAGE],
  handle: async ({ params: { endpoint }, caller, services }) => ({
    status: 200,
    body: await testWebhook(endpoint, { surface: 'http', who: caller.name }, services),
  }),
});
