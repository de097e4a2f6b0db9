import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type IngestOp, IngestReceipt, IngestReport, MessageSubmission } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import { WritError } from '../../../core/errors.ts';
import { withTimeLimit } from '../../../core/time-limit.ts';
import { heldIngest } from '../../shared/paused/held.ts';
import { type Answer, type Call, route } from '../route.ts';
import { PREFER, PREFERENCE_APPLIED, waitOf } from './answers.ts';

const responses = {
  200: { description: 'Done, and durable. Only with `Prefer: wait`.', schema: IngestReport, headers: PREFERENCE_APPLIED },
  202: { description: 'Queued; the writer does it in its turn.', schema: IngestReceipt, headers: PREFERENCE_APPLIED },
};
const problems = ['INVALID_ARGUMENT', 'WRONG_STATE', 'BODY_TOO_LARGE', 'REDIS_FULL', 'REDIS_UNAVAILABLE', 'STORAGE_UNAVAILABLE'] as const;

export const submitMessages = route({
  method: 'POST',
  path: '/v1/messages',
  operation: 'submitMessages',
  summary: 'Send messages, edits, agents, projects, products',
  description:
    'A list of operations. The same project and key again is the same message: sent twice it is stored once, sent with other text it is edited. ' +
    'What was sent later wins. With `Prefer: wait=N` the answer comes when the messages are stored and can be found. Lists with deletions are audited.',
  tag: 'messages',
  access: ['ingest'],
  headers: PREFER,
  body: MessageSubmission,
  responses,
  problems: [...problems],
  async handle(call) {
    const ops = call.body.ops.map((op): IngestOp => (op.op === 'message' ? { ...op, key: op.key ?? `http:${randomUUID()}` } : op));
    const deletes = ops.filter(({ op }) => op === 'delete').length;
    if (deletes === 0) return send(ops, call);
    const entry = { ...entryOf(call, 'message.delete', 'a list of operations'), detail: { deletes, operations: ops.length } };
    return audited(call.services.audit, entry, () => send(ops, call));
  },
});

export const deleteMessage = route({
  method: 'DELETE',
  path: '/v1/messages/:id',
  operation: 'deleteMessage',
  summary: 'Delete a message',
  description: 'Its id is never given to another message. Deleting what is not there is no error. Audited.',
  tag: 'messages',
  access: ['ingest'],
  headers: PREFER,
  params: z.strictObject({
    id: z
      .string()
      .regex(/^[1-9]\d{0,15}$/, 'must be a positive number')
      .transform(Number)
      .refine(Number.isSafeInteger, 'must be at most 2^53 - 1')
      .meta({ description: 'Id of the message.' }),
  }),
  responses,
  problems: [...problems],
  handle: (call) =>
    audited(call.services.audit, entryOf(call, 'message.delete', String(call.params.id)), () => send([{ op: 'delete', id: call.params.id }], call)),
});

export const rebuildMessages = route({
  method: 'POST',
  path: '/v1/messages/rebuild',
  operation: 'rebuildMessages',
  summary: 'Make the full text of all messages anew',
  description: 'From the messages themselves, should it ever be damaged; searches see the old one until the new one is complete. Audited.',
  tag: 'messages',
  access: ['operate'],
  headers: PREFER,
  responses,
  problems: problems.filter((code) => code !== 'BODY_TOO_LARGE'),
  handle: (call) => audited(call.services.audit, entryOf(call, 'message.rebuild', 'full text'), () => send([{ op: 'rebuild' }], call)),
});

function entryOf({ caller }: Pick<Call<unknown, unknown, unknown>, 'caller'>, action: 'message.delete' | 'message.rebuild', subject: string) {
  return { surface: 'http', who: caller.name, action, subject } as const;
}

async function send(
  ops: readonly IngestOp[],
  { services, request, signal }: Pick<Call<unknown, unknown, unknown>, 'services' | 'request' | 'signal'>,
): Promise<Answer> {
  const { messages, maxWaitS } = services;
  const { job } = await messages.submit(ops);
  const receipt: IngestReceipt = { job, keys: ops.flatMap((op) => (op.op === 'message' ? [op.key] : [])) };
  const wait = waitOf(request, maxWaitS);
  if (wait === undefined) return { status: 202, body: receipt };
  const end = await withTimeLimit(wait.timeoutMs, signal, (limited) => messages.settled(job, limited));
  if (end === undefined) return { status: 202, body: { ...receipt, ...(await heldIngest(services.queues)) }, headers: wait.headers };
  if (!end.ok) throw new WritError('STORAGE_UNAVAILABLE', `job ${job} failed: ${end.message}`);
  const report: IngestReport = { ...end.outcome, ...receipt };
  return { status: 200, body: report, headers: wait.headers };
}
