import { z } from 'zod';
import { WritError } from '../../../core/errors.ts';
import { BATCH_VERSION, MAX_BATCH } from '../../mcp/batch-bounds.ts';
import type { McpServices } from '../../mcp/services.ts';
import { type Call, route } from '../route.ts';

/** What every message of JSON-RPC has; the rest is the protocol's to judge. */
const Message = z
  .looseObject({ jsonrpc: z.literal('2.0'), id: z.union([z.string(), z.int()]).optional(), method: z.string().optional() })
  .meta({ description: 'One JSON-RPC 2.0 message of the Model Context Protocol.' });

const Messages = z.union([Message, z.array(Message).min(1).max(MAX_BATCH)]).meta({ description: `A message, or in version ${BATCH_VERSION} a list of them.` });

export const callMcp = route({
  method: 'POST',
  path: '/mcp',
  operation: 'callMcp',
  summary: 'The Model Context Protocol',
  description:
    'Streamable HTTP without sessions: every request carries its key, and is answered with one JSON document. `tools/list` shows the tools that the roles of the ' +
    'key allow. What a tool refuses is a result with `isError`, whose text is `{code, field, message}`. A call ends when its client goes away.',
  tag: 'mcp',
  access: 'any',
  body: Messages,
  headers: { 'mcp-protocol-version': 'The version that was agreed upon in `initialize`.' },
  responses: {
    200: { description: 'The answer to a request, a JSON-RPC message; to a list with requests a list.', schema: Messages },
    202: { description: 'A notification was taken.' },
  },
  problems: ['INVALID_ARGUMENT'],
  async handle(call) {
    // Loaded with the first message: most servers never get one.
    const [{ answerPost }, { TOOLS }] = await Promise.all([import('../../mcp/http.ts'), import('../../mcp/tools/table.ts')]);
    const { services, caller, body, signal } = call;
    const isBatch = Array.isArray(body);
    // Who names no version is taken to speak that one.
    const { 'mcp-protocol-version': version = BATCH_VERSION } = call.request.headers;
    if (isBatch && version !== BATCH_VERSION) throw new WritError('INVALID_ARGUMENT', `version ${String(version).slice(0, 32)} of the protocol has no batches`);
    if (isBatch && body.some(({ method }) => method === 'initialize')) throw new WritError('INVALID_ARGUMENT', 'initialize may be in no batch');
    // Each would be done, and one of them answered.
    if (isBatch && hasTwins(body)) throw new WritError('INVALID_ARGUMENT', 'two requests of a batch have the same id');
    const options = { tools: TOOLS, services: mcpServices(call), caller, report: services.report };
    const reply = await answerPost({ message: body, headers: headersOf(call), signal }, options);
    if (reply.status >= 400) throw new WritError('INVALID_ARGUMENT', reply.body === undefined ? 'this is no message of the protocol' : reasonIn(reply.body));
    if (reply.body === undefined) return { status: 202 };
    const answer: unknown = JSON.parse(reply.body);
    return { status: 200, body: isBatch && !Array.isArray(answer) ? [answer] : answer, headers: { 'cache-control': 'no-store' } };
  },
});

function hasTwins(batch: readonly z.infer<typeof Message>[]): boolean {
  const ids = batch.flatMap(({ id, method }) => (id === undefined || method === undefined ? [] : [id]));
  return new Set(ids).size < ids.length;
}

type McpCall = Call<undefined, undefined, z.infer<typeof Messages>>;

/** The transport wants a client that takes both forms of an answer; there is only one here, so nobody need say so. */
function headersOf({ request }: McpCall): Record<string, string> {
  const version = request.headers['mcp-protocol-version'];
  return {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...(typeof version === 'string' ? { 'mcp-protocol-version': version } : {}),
  };
}

function reasonIn(body: string): string {
  return Refusal.safeParse(JSON.parse(body)).data?.error.message ?? 'this is no message of the protocol';
}

const Refusal = z.object({ error: z.object({ message: z.string() }) });

/** The services of a call as the tools want them. */
function mcpServices({ services, caller }: McpCall): McpServices {
  const { version, clock, maxWaitS, regrantByDefault } = services;
  return {
    version,
    clock,
    maxWaitS,
    regrantByDefault,
    webhooks: services.webhooks,
    index: services.index,
    tasks: async () => services.toolTasks,
    plans: async () => services.plans,
    queues: async () => services.queues,
    contentSearch: async () => services.contentSearch,
    contentIndex: async () => services.contentIndex,
    messageSearch: async () => services.messageSearch,
    kernel: () => services.kernel(caller),
    signatures: services.signatures,
    audit: async () => services.audit,
  };
}
