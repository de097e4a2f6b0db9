import { z } from 'zod';
import { BulkReceipt, BulkSummary, DryRun, TaskPage, TaskReceipt, TaskSubmission, TaskView } from '../../../contracts/index.ts';
import { unknownTask } from '../../shared/tasks/task-id.ts';
import { waitForOutcome } from '../../shared/tasks/task-status.ts';
import { isNdjson, NDJSON } from '../body.ts';
import { route } from '../route.ts';
import { PREFER, PREFERENCE_APPLIED, tagged, viewOf, waitOf } from './answers.ts';
import { ListQuery, LOCATION, PushQuery, REPLAYED, TaskParams } from './shapes.ts';
import { submitMany } from './submit-many.ts';
import { submitOne } from './submit-one.ts';

export const submitTasks = route({
  method: 'POST',
  path: '/v1/tasks',
  operation: 'submitTasks',
  summary: 'Push a task, or a stream of tasks',
  description:
    'The lease is checked before anything is queued: signature, issuer, queue, and that it was issued for exactly this manifest. ' +
    'The same task may be pushed any number of times: it has one effect and one answer. ' +
    'With `application/x-ndjson` the body is a stream of tasks, one a line, answered line by line in the same order and closed by a summary; ' +
    'read the answer while you write, the server takes the next lines when the answers to the last ones were taken.',
  tag: 'tasks',
  access: ['submit'],
  query: PushQuery,
  body: TaskSubmission,
  ndjson: true,
  headers: PREFER,
  responses: {
    200: {
      description:
        'The task has ended: with success before (`Idempotency-Replayed`), or while the request waited. With `dry_run`: what the push would meet. For a stream: one receipt a line.',
      schema: z.union([TaskView, DryRun]),
      also: { [NDJSON]: z.union([BulkReceipt, BulkSummary]) },
      headers: { ...REPLAYED, ...PREFERENCE_APPLIED },
    },
    202: { description: 'Queued, or in flight already.', schema: TaskReceipt, headers: { ...LOCATION, ...REPLAYED, ...PREFERENCE_APPLIED } },
  },
  problems: [
    'INVALID_MANIFEST',
    'INVALID_ARGUMENT',
    'INVALID_LEASE',
    'LEASE_EXPIRED',
    'LEASE_REFUSED',
    'HRC_REQUIRED',
    'FORBIDDEN',
    'TASK_ID_CONFLICT',
    'WRONG_STATE',
    'INVALID_RESULT',
    'REDIS_FULL',
    'REDIS_UNAVAILABLE',
    'KERNEL_UNAVAILABLE',
    'STORAGE_UNAVAILABLE',
  ],
  handle: (call) => (isNdjson(call.request) ? submitMany(call) : submitOne(call)),
});

export const listTasks = route({
  method: 'GET',
  path: '/v1/tasks',
  operation: 'listTasks',
  summary: 'Find tasks',
  description: 'Pages of the task index, the newest change first. Every parameter narrows. The index follows queues and ledger within moments.',
  tag: 'tasks',
  access: ['read'],
  query: ListQuery,
  responses: { 200: { description: 'A page; `next` is the cursor of the following one.', schema: TaskPage } },
  problems: ['INVALID_ARGUMENT', 'STORAGE_UNAVAILABLE'],
  async handle({ query: { limit, cursor, ...filter }, services }) {
    const page = await services.index.list(filter, { limit, ...(cursor === undefined ? {} : { cursor }) });
    return { status: 200, body: page };
  },
});

export const readTask = route({
  method: 'GET',
  path: '/v1/tasks/:id',
  operation: 'readTask',
  summary: 'Where a task stands, with its signed result',
  description:
    'Asks queue, ledger and, on the host of the pool, the journal. The result is the exact signed document; `GET /v1/keys` has the keys that verify it.',
  tag: 'tasks',
  // Whoever may push a task is told this address in the receipt, and gets the same answer by pushing the task again.
  access: ['submit', 'read'],
  params: TaskParams,
  headers: { ...PREFER, 'if-none-match': 'ETag of a task that is known already.' },
  responses: {
    200: { description: 'The task.', schema: TaskView, headers: { etag: 'Changes with the task.', ...PREFERENCE_APPLIED } },
    304: { description: 'Nothing has changed.' },
  },
  problems: ['INVALID_ARGUMENT', 'NOT_FOUND', 'INVALID_RESULT', 'REDIS_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  async handle({ params: { id }, request, services, signal }) {
    const wait = waitOf(request, services.maxWaitS);
    const status = await waitForOutcome(id, services.tasks, { timeoutMs: wait?.timeoutMs ?? 0, signal });
    if (status.state === 'unknown') throw unknownTask(id);
    return tagged(await viewOf(id, status, services), request.headers['if-none-match'], wait?.headers);
  },
});
