import type { FastifyRequest } from 'fastify';
import type { TaskView } from '../../../contracts/index.ts';
import { sha256Hex } from '../../../core/hash.ts';
import { heldTask } from '../../shared/paused/held.ts';
import type { OperatorServices } from '../../shared/tasks/operator.ts';
import { isLast, waitForOutcome } from '../../shared/tasks/task-status.ts';
import { shownTask } from '../../shared/tasks/view.ts';
import type { Answer, Caller } from '../route.ts';
import type { HttpServices } from '../services.ts';

/** The row's sentence about the header. */
export const PREFER = { prefer: '`wait=N` (RFC 7240): keep the request open until the task has ended, at most N seconds and at most `http.max_wait_s`.' };
export const PREFERENCE_APPLIED = { 'preference-applied': 'The wait that was granted, `wait=N`.' };

/** A wait that the client asked for. */
export interface Wait {
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

const WAIT = /^wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i;

/** The wait of `Prefer: wait=N`, bounded; `undefined` when none was asked for. Preferences that are not known are ignored (RFC 7240 2). */
export function waitOf({ headers }: FastifyRequest, maxWaitS: number): Wait | undefined {
  const given = headers['prefer'];
  const preferences = (Array.isArray(given) ? given.join(',') : (given ?? '')).split(',');
  for (const preference of preferences) {
    const seconds = WAIT.exec(preference.trim())?.[1];
    if (seconds === undefined) continue;
    const granted = Math.min(Number(seconds), maxWaitS);
    return { timeoutMs: granted * 1000, headers: { 'preference-applied': `wait=${granted}` } };
  }
  return undefined;
}

/** The services of a call as the operations of every surface want them. */
export function operatorServices({ tasks, kernel, signatures, regrantByDefault, clock }: HttpServices, caller: Caller): OperatorServices {
  return { tasks, kernel: () => kernel(caller), signatures, regrantByDefault, clock };
}

/** A task as it stands. Throws WritError INVALID_RESULT when no executor that is trusted here has signed what is stored as its outcome. */
export async function viewOf(taskId: string, status: Parameters<typeof shownTask>[1], services: HttpServices): Promise<TaskView> {
  return shownTask(taskId, status, await services.signatures());
}

/** What a wait has come to: the answer with the end, or what holds it up. */
export type Waited<Held> = { readonly answer: Answer } | { readonly answer?: undefined; readonly held: Held };

/**
 * The outcome of a task that was put on its way, when the client asked to wait and there is one in time.
 *
 * @returns a 200 with the task, else whether its queue is paused
 */
export async function outcomeWithin(
  taskId: string,
  wait: Wait | undefined,
  call: { readonly services: HttpServices; readonly signal: AbortSignal },
  headers: Readonly<Record<string, string>> = {},
): Promise<Waited<ReturnType<typeof heldTask>>> {
  if (!wait) return { held: {} };
  const status = await waitForOutcome(taskId, call.services.tasks, { timeoutMs: wait.timeoutMs, signal: call.signal });
  if (status.state === 'unknown' || !isLast(status)) return { held: heldTask(status) };
  return { answer: { status: 200, body: await viewOf(taskId, status, call.services), headers: { ...headers, ...wait.headers } } };
}

/** A 200 with an ETag over the body, or a 304 for a client that has it already. */
export function tagged(body: object, ifNoneMatch: string | undefined, headers: Readonly<Record<string, string>> = {}): Answer {
  const etag = `"${sha256Hex(JSON.stringify(body)).slice(0, 32)}"`;
  const known = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known.includes(etag) || known.includes('*')) return { status: 304, headers: { ...headers, etag } };
  return { status: 200, body, headers: { ...headers, etag } };
}
