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
import { WritError } from '../../../core/errors.ts';
import type { Webhooks } from '../../../core/ports/index.ts';
import { resendNotices, testWebhook } from '../../shared/webhooks.ts';
import type { McpServices } from '../services.ts';
import { LOOKS_ONLY, type ToolCall, tool } from '../tool.ts';

const endpoint = EndpointId.meta({ description: 'As the settings name it.' });
const noticeId = NoticeId.meta({ description: '`webhook-id` of the notice.' });

export const listWebhooksTool = tool({
  name: 'list_webhooks',
  title: 'Who is told of the ends of tasks and plans',
  description: 'The endpoints of the settings, how many notices each has in which state, and the public key that verifies notices.',
  access: ['operate'],
  annotations: LOOKS_ONLY,
  input: z.strictObject({}),
  output: WebhookList,
  run: async ({ services }) => webhooksOf(services).list(),
});

export const listNoticesTool = tool({
  name: 'list_notices',
  title: 'Notices of webhooks, the newest first',
  description: 'What was delivered, what waits for its next attempt, and what was given up (`dead`).',
  access: ['operate'],
  annotations: LOOKS_ONLY,
  input: z.strictObject({
    endpoint: endpoint.optional(),
    state: NoticeState.optional(),
    task: z.string().min(1).max(128).optional().meta({ description: 'About this task.' }),
    plan: Sha256Hex.optional().meta({ description: 'About this plan.' }),
    limit: z.int().min(1).max(500).optional().meta({ description: '50 if absent.' }),
    cursor: NoticeCursor.optional().meta({ description: '`next` of the page before.' }),
  }),
  output: NoticeList,
  run: async ({ input: { limit = 50, cursor, ...filter }, services }) =>
    webhooksOf(services).notices(filter, { limit, ...(cursor === undefined ? {} : { cursor }) }),
});

export const getNotice = tool({
  name: 'get_notice',
  title: 'One notice with its text',
  description: 'Its state and attempts, and its exact text as long as it is kept.',
  access: ['operate'],
  annotations: LOOKS_ONLY,
  input: z.strictObject({ id: noticeId }),
  output: NoticeView,
  run: async ({ input: { id }, services }) => webhooksOf(services).read(id),
});

export const resendNoticesTool = tool({
  name: 'resend_notices',
  title: 'Send dead notices again',
  description: 'One by its id, or all of an endpoint, each under its own webhook-id; `left` says how many of the endpoint are still dead. Audited.',
  access: ['operate'],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({ id: noticeId.optional(), endpoint: endpoint.optional() }),
  output: NoticeResend,
  run: async (call) => resendNotices(whichOf(call.input), operatorOf(call), await doorOf(call)),
});

export const testWebhookTool = tool({
  name: 'test_webhook',
  title: 'Try an endpoint',
  description: 'Sends one signed notice of the type webhook.test, once, and says what came of it. Audited.',
  access: ['operate'],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({ endpoint }),
  output: WebhookTest,
  run: async (call) => testWebhook(call.input.endpoint, operatorOf(call), await doorOf(call)),
});

function whichOf({ id, endpoint: of }: { readonly id?: string | undefined; readonly endpoint?: string | undefined }) {
  if (id !== undefined && of === undefined) return { id };
  if (of !== undefined && id === undefined) return { endpoint: of };
  throw new WritError('INVALID_ARGUMENT', 'give either the id of a notice or an endpoint', { field: 'id' });
}

/**
 * The outbox is the API's: a server over stdio has none.
 *
 * @throws WritError WRONG_STATE there
 */
export function webhooksOf({ webhooks }: Pick<McpServices, 'webhooks'>): Webhooks {
  if (webhooks === undefined) throw new WritError('WRONG_STATE', 'notices are kept by the API: ask its MCP server (POST /mcp), or use `writ webhooks`');
  return webhooks;
}

function operatorOf({ caller }: Pick<ToolCall<unknown>, 'caller'>) {
  return { surface: 'mcp', who: caller.name } as const;
}

async function doorOf({ services }: Pick<ToolCall<unknown>, 'services'>) {
  return { webhooks: webhooksOf(services), audit: await services.audit() };
}
