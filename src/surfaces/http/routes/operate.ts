import { CancelAnswer, RetryAnswer, RetryRequest, TaskView, UndoAnswer } from '../../../contracts/index.ts';
import { audited } from '../../../core/audited.ts';
import { heldTask } from '../../shared/paused/held.ts';
import { cancelTask } from '../../shared/tasks/cancel.ts';
import { retryDetail, retryTask } from '../../shared/tasks/retry.ts';
import { undoTask } from '../../shared/tasks/undo.ts';
import { type Caller, route } from '../route.ts';
import { operatorServices, outcomeWithin, PREFER, PREFERENCE_APPLIED, waitOf } from './answers.ts';
import { LOCATION, locationOf, TaskParams } from './shapes.ts';

/** The entry of an operator's action in the audit log. */
function entryOf(caller: Caller, action: 'task.retry' | 'task.undo' | 'task.cancel', subject: string) {
  return { surface: 'http', who: caller.name, action, subject } as const;
}

const ENDED = { description: 'The task has ended while the request waited.', schema: TaskView, headers: PREFERENCE_APPLIED };

export const retryOneTask = route({
  method: 'POST',
  path: '/v1/tasks/:id/retry',
  operation: 'retryTask',
  summary: 'Run a failed task again',
  description: 'With its full budget of tries, and under a new lease where the old one has expired and `regrant` allows it. Audited.',
  tag: 'tasks',
  access: ['operate'],
  params: TaskParams,
  body: RetryRequest.optional(),
  headers: PREFER,
  responses: { 200: ENDED, 202: { description: 'It runs again.', schema: RetryAnswer, headers: { ...LOCATION, ...PREFERENCE_APPLIED } } },
  problems: [
    'INVALID_ARGUMENT',
    'NOT_FOUND',
    'WRONG_STATE',
    'LEASE_EXPIRED',
    'LEASE_REFUSED',
    'HRC_REQUIRED',
    'INVALID_RESULT',
    'KERNEL_UNAVAILABLE',
    'REDIS_FULL',
    'REDIS_UNAVAILABLE',
    'STORAGE_UNAVAILABLE',
  ],
  async handle(call) {
    const { params, body, caller, services } = call;
    const terms = body?.regrant === undefined ? {} : { regrant: body.regrant };
    const entry = { ...entryOf(caller, 'task.retry', params.id), detail: terms };
    const { regranted } = await audited(services.audit, entry, () => retryTask(params.id, terms, operatorServices(services, caller)), retryDetail);
    const wait = waitOf(call.request, services.maxWaitS);
    const waited = await outcomeWithin(params.id, wait, call);
    if (waited.answer) return waited.answer;
    const location = locationOf(params.id);
    const answer: RetryAnswer = { task_id: params.id, regranted, location, ...waited.held };
    return { status: 202, body: answer, headers: { location, ...wait?.headers } };
  },
});

export const undoOneTask = route({
  method: 'POST',
  path: '/v1/tasks/:id/undo',
  operation: 'undoTask',
  summary: 'Take back what a task did',
  description: 'The kernel computes and signs the task that takes the effect back; it is pushed like any other and has an id of its own. Audited.',
  tag: 'tasks',
  access: ['operate'],
  params: TaskParams,
  headers: PREFER,
  responses: {
    200: { ...ENDED, description: 'The undo has ended while the request waited.' },
    202: { description: 'The undo is on its way.', schema: UndoAnswer, headers: { ...LOCATION, ...PREFERENCE_APPLIED } },
  },
  problems: [
    'INVALID_ARGUMENT',
    'NOT_FOUND',
    'WRONG_STATE',
    'TASK_ID_CONFLICT',
    'LEASE_REFUSED',
    'HRC_REQUIRED',
    'INVALID_RESULT',
    'KERNEL_UNAVAILABLE',
    'REDIS_FULL',
    'REDIS_UNAVAILABLE',
    'STORAGE_UNAVAILABLE',
  ],
  async handle(call) {
    const { params, caller, services } = call;
    const { undoId, receipt } = await audited(services.audit, entryOf(caller, 'task.undo', params.id), () =>
      undoTask(params.id, operatorServices(services, caller)),
    );
    const wait = waitOf(call.request, services.maxWaitS);
    const waited = await outcomeWithin(undoId, wait, call);
    if (waited.answer) return waited.answer;
    const location = locationOf(undoId);
    const answer: UndoAnswer = { task_id: undoId, undo_of: params.id, receipt: UNDO_WORDS[receipt.kind], location, ...waited.held };
    return { status: 202, body: answer, headers: { location, ...wait?.headers } };
  },
});

/** A conflict is thrown by `undoTask`. */
const UNDO_WORDS = { accepted: 'accepted', 'in-flight': 'in_flight', retried: 'retried', finished: 'finished', conflict: 'finished' } as const;

export const cancelOneTask = route({
  method: 'POST',
  path: '/v1/tasks/:id/cancel',
  operation: 'cancelTask',
  summary: 'Ask that a task does nothing',
  description: 'A cancel is a request: whether it came in time is decided by the outcome. `Prefer: wait` tells more often. Audited.',
  tag: 'tasks',
  access: ['operate'],
  params: TaskParams,
  headers: PREFER,
  responses: {
    200: { description: 'The task is cancelled; nothing was done.', schema: CancelAnswer, headers: PREFERENCE_APPLIED },
    202: { description: 'A cancel is requested.', schema: CancelAnswer, headers: { ...LOCATION, ...PREFERENCE_APPLIED } },
  },
  problems: ['INVALID_ARGUMENT', 'NOT_FOUND', 'WRONG_STATE', 'INVALID_RESULT', 'REDIS_FULL', 'REDIS_UNAVAILABLE', 'STORAGE_UNAVAILABLE'],
  async handle({ params, request, caller, services, signal }) {
    const wait = waitOf(request, services.maxWaitS);
    const options = { timeoutMs: wait?.timeoutMs ?? 0, signal };
    const cancelled = await audited(services.audit, entryOf(caller, 'task.cancel', params.id), () =>
      cancelTask(params.id, options, operatorServices(services, caller)),
    );
    if (cancelled.kind === 'cancelled') {
      const answer: CancelAnswer = { task_id: params.id, cancel: 'cancelled' };
      return { status: 200, body: answer, headers: { ...wait?.headers } };
    }
    const state = cancelled.status.state === 'running' ? 'running' : 'waiting';
    const answer: CancelAnswer = { task_id: params.id, cancel: 'requested', state, ...(wait === undefined ? {} : heldTask(cancelled.status)) };
    return { status: 202, body: answer, headers: { location: locationOf(params.id), ...wait?.headers } };
  },
});
