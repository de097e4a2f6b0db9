import { sha256Hex } from '../../core/hash.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { planOfSubject } from '../../core/notice-subject.ts';

/** What a notice is about: a task, or a plan, that has ended. `result` is the exact text that the executor has signed. */
export interface FinishedOutcome {
  /** A task by its id, or a plan (`notice-subject.ts`). */
  readonly taskId: string;
  /** `PLAN` of a plan. */
  readonly capabilityId: string;
  /** Hash of the manifest, or of the linked envelope, that the signature covers. */
  readonly manifestSha256: string;
  readonly result: string;
  /** When it ended, milliseconds since 1970. */
  readonly at: number;
}

/** What a notice tells. */
export const NOTICE_TYPES = ['task.succeeded', 'task.failed', 'plan.succeeded', 'plan.failed', 'webhook.test'] as const;

/** The JSON of a notice, as Standard Webhooks has it: type, timestamp, data. */
export interface NoticeBody {
  readonly type: (typeof NOTICE_TYPES)[number];
  readonly timestamp: string;
  readonly data: Readonly<Record<string, Json>>;
}

/**
 * The id of a notice (`webhook-id`): the same outcome of the same task or plan has the same id at the same endpoint, whatever was lost in
 * between, so that a receiver can tell what it has had already. It holds no dot, which would end it in the signed text.
 */
export function noticeId(endpoint: string, { taskId, result }: Pick<FinishedOutcome, 'taskId' | 'result'>): string {
  return `msg_${sha256Hex(JSON.stringify([endpoint, taskId, result])).slice(0, 40)}`;
}

/** The text of the notice of an outcome. It never changes between two attempts: the signed bytes are these. */
export function noticeBody({ taskId, capabilityId, manifestSha256, result, at }: FinishedOutcome): string {
  const outcome = JSON.parse(result) as JsonObject;
  const plan = planOfSubject(taskId);
  const said: Pick<NoticeBody, 'type' | 'data'> =
    plan === undefined
      ? {
          type: outcome['status'] === 'SUCCESS' ? 'task.succeeded' : 'task.failed',
          data: { task_id: taskId, capability_id: capabilityId, manifest_sha256: manifestSha256, result: outcome },
        }
      : { type: isSuccess(outcome) ? 'plan.succeeded' : 'plan.failed', data: { plan_id: plan, result: outcome } };
  return JSON.stringify({ type: said.type, timestamp: new Date(at).toISOString(), data: said.data } satisfies NoticeBody);
}

/** Of the signed end of a plan. */
function isSuccess({ envelope }: JsonObject): boolean {
  return typeof envelope === 'object' && envelope !== null && !Array.isArray(envelope) && envelope['error'] === null;
}

/** The text of a notice that only tries an endpoint. */
export function testBody(endpoint: string, at: number): string {
  return JSON.stringify({ type: 'webhook.test', timestamp: new Date(at).toISOString(), data: { endpoint } } satisfies NoticeBody);
}
